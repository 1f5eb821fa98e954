"""The page of one set-up: its form, its figures and its cards."""
