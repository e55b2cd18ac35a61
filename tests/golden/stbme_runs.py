"""Adapters for the vectors of ST-BME that run a whole procedure on a graph."""
