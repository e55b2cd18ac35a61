"""Files on their way into the library: read, cut, written, with a queue that survives the program."""
