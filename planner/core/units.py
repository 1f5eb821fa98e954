"""Units of the field: GB is 10^9 bytes, GiB is 2^30 bytes, and the two never mix."""

GB = 1_000_000_000
GIB = 1 << 30
MIB = 1 << 20
TERA = 1_000_000_000_000


def ceil_div(numerator: int, denominator: int) -> int:
    """Smallest integer not below numerator / denominator; denominator must be positive."""
    return -(-numerator // denominator)


def round_up(value: int, multiple: int) -> int:
    """Smallest multiple of `multiple` not below `value`."""
    return ceil_div(value, multiple) * multiple
