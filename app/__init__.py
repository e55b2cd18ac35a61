"""The doors of the program: window, command line, and what joins everything."""

import time

STARTED = time.time()
"""When this process began, as clocks on the wall tell."""
