"""The page of one's own cards."""
