"""Doing: the only room that waits for the world."""
