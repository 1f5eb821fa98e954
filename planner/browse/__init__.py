"""Pages of the catalog: what it holds, card beside card, and what the team makes of it."""
