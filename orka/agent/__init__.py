"""The contract agents are written against: `@agent`, `@tool`, `Context`, effects."""
