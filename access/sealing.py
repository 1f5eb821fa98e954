"""Secrets that we must send, such as a webhook's: sealed with a key that is not in the database."""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class CannotUnsealError(Exception):
    """The sealed text was made with a key that this installation no longer has."""


def seal(secret: str) -> str:
    """Return the secret in a form that may be stored."""
    return _box().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """Return the secret again; any of the installation's keys may have sealed it."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise CannotUnsealError("sealed with a key that DECODECK_ENCRYPTION_KEY does not hold") from None


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.ENCRYPTION_KEYS])
