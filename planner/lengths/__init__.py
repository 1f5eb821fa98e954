"""The pages of request lengths: what they show of a log. No HTTP and no database."""
