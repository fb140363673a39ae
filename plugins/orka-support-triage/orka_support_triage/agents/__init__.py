"""The seven agent types, one per file."""
