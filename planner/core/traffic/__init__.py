"""What a team's requests are like: lengths and load read from logs and engine metrics, and what that means for the cache.

Prompts are never looked at: readers take counts and times, and leave every other column and field where it is.
"""
