"""Memories, each a package of its own."""
