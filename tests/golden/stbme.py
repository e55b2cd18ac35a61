"""Adapters for the pure functions of ST-BME."""
