"""Providers of language models: one file, or one private package, per plugin."""
