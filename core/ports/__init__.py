"""Protocols that the store and the adapters implement."""
