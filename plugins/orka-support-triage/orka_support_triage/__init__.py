"""Support tickets: the agents, tools, schemas, evals and the workflow of the module."""
