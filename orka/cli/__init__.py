"""The `orka` command: every subcommand is a file of its own, imported when it is called."""
