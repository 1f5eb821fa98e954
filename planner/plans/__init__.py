"""Pages of saved plans."""
