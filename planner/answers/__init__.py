"""Answers as the outside sees them: JSON in, JSON out, codes with their words."""
