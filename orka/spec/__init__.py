"""What the author wrote: YAML text becomes a Workflow in which each part remembers its line."""
