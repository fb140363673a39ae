"""What goes in, what comes out, and what is recorded: types, and their JSON Schemas."""
