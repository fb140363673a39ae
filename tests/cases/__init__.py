"""Faults reported from the field, each a case that must pass; `--cases DIR` takes others."""
