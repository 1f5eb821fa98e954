"""Speed and accuracy, run on demand by `make bench`: each module here prints one table."""
