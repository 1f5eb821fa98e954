"""Secrets that we make and later only verify: tokens and one-time links."""

import hashlib
import secrets


def new_secret() -> str:
    """256 random bits as text that may stand in an address."""
    return secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """The hash that is stored in place of a secret.

    One round of SHA-256 is right here and would be wrong for a password: slow hashes make guessing dear
    where there is something to guess, and nobody guesses 256 random bits, however fast the hash. A fast one
    lets each API call be verified in microseconds.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
