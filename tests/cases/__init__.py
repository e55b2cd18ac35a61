"""Cases that people really met, run against the program: `python -m tests.cases DIR`."""
