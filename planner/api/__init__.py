"""REST: JSON in, JSON out, problems as RFC 9457."""
