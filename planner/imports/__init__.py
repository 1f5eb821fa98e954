"""The page on which the team brings in a model: what was read, shown before it is kept."""
