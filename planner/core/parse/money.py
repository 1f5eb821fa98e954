"""Reading currencies and amounts."""

from typing import Any

from planner.core.parse.close import close_to
from planner.core.parse.fields import Reader

# Of ISO 4217; an amount is only ever compared with amounts of the same currency.
CURRENCIES = (
    *("AED", "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "IDR", "ILS", "INR"),
    *("JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RUB", "SAR", "SEK", "SGD", "THB", "TRY"),
    *("TWD", "USD", "VND", "ZAR"),
)
OTHER_CURRENCY_NAMES = {
    "RMB": "CNY",
    "YUAN": "CNY",
    "CNH": "CNY",
    "DOLLAR": "USD",
    "EURO": "EUR",
    "POUND": "GBP",
}


def read_currency(reader: Reader, value: Any, field: str) -> str | None:
    """A code of CURRENCIES in any case, None where none is given, or a problem that names the code that was meant."""
    if value is None:
        return None
    text = reader.text(value, field)
    if text is None:
        return None
    code = text.strip().upper()
    if code in CURRENCIES:
        return code
    close = OTHER_CURRENCY_NAMES.get(code) or close_to(code, CURRENCIES)
    reader.refuse("unknown_currency", field, found=text, close=close, known=", ".join(CURRENCIES))
    return None
