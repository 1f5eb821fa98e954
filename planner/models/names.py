"""Short public names of rows, for addresses and for the API: numbers would tell how many there are."""

import secrets

# Without letters and digits that look alike, since people read these to each other
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 10


def new_uid() -> str:
    """A random name of ten characters: 49 bits, so that a collision is caught by the unique index, not expected."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
