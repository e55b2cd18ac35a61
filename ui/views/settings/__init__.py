"""The settings dialog: a general page made from the declarations, and the page Models."""
