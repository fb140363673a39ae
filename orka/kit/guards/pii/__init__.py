"""Personal data and secrets in a text: where they stand, and the text without them."""
