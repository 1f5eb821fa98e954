"""Each figure with its working."""
