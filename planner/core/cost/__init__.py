"""What a set-up costs: prices, the cost of owning and running it, and of renting instead."""
