"""What did happen: the closed union of events, their bytes, and the chain of digests."""
