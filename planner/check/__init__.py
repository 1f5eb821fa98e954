"""The page that judges a launch command."""
