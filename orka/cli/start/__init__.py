"""What `orka init` writes: a workflow, its tools, an input."""
