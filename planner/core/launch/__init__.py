"""Launch commands: written from a plan, read back and judged, against tables of flags by engine version."""
