"""Pages about cost: what a set-up costs, what a budget buys, and what is assumed."""
