"""What reads and what acts: one tool per file."""
