from tests.services.conftest import desk

__all__ = ["desk"]
