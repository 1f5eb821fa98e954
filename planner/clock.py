"""The day that offers and answers are of."""

from datetime import date


def today() -> date:
    """The server's day: offers are dated in days, not in time zones."""
    return date.today()  # noqa: DTZ011
