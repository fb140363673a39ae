"""Reading a trace: what happened, what it cost, what went wrong, how two runs differ."""
