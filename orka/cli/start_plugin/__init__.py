"""What `orka plugin new` writes: one file for each thing that a plugin can bring, with its test."""
