"""Pages of quotes and exchange rates."""
