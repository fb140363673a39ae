"""What the outside must offer: protocols only, nothing that runs."""
