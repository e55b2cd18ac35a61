"""Pure numpy and text: formulas and algorithms without I/O."""
