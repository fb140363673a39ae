"""Judging: numbers with reasons, or an abstention. Pure: values in, values out."""
