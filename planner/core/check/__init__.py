"""A pasted launch command: read as its shell and its parser would, judged against the tables, mended."""
