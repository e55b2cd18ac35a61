"""Charts (the other place where pyqtgraph is used)."""
