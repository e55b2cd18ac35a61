"""The program without a window: domain, algorithms, services, store and adapters."""
