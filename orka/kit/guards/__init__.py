"""Guards: each looks at text for one kind of trouble."""
