"""Writes of the planner: one verb per function, one transaction, its audit event."""
