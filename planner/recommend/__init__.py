"""The page that ranks set-ups."""
