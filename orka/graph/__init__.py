"""What may happen: compiled graphs, conditions, templates, and the checks made before a run."""
