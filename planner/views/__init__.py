"""HTTP of the pages."""
