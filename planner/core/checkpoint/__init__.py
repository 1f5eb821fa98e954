"""What files of a checkpoint say by themselves: its tensors, their bytes by part, and what was left unquantized.

Only headers are read, bounded, and as numbers and names: nothing of a repository is ever run.
"""
