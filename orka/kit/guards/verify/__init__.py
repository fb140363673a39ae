"""What is about to be said: does it keep to its form and its sources, and does nothing leak."""
