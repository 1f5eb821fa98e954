"""The sheet of what each size takes."""
