"""The batteries: one file, one plugin."""
