"""Reading currencies and amounts."""

from typing import Any

from planner.core.parse.close import close_to
from planner.core.parse.fields import Reader

# Currencies of ISO 4217 that are money somewhere today
# fmt: off
CURRENCIES = (
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD",
    "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF",
    "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN",
    "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD",
    "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES",
    "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL",
    "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN",
    "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP",
    "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK",
    "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SYP", "SZL", "THB", "TJS", "TMT", "TND",
    "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VES", "VND", "VUV",
    "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG",
)
# fmt: on
# What lists of currencies offer: any other can be typed where text is read
COMMON_CURRENCIES = (
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
    reader.refuse("unknown_currency", field, found=text, close=close_currency(code))
    return None


def close_currency(code: str) -> str:
    """Codes that were perhaps meant by one that is none; empty where nothing is close."""
    return OTHER_CURRENCY_NAMES.get(code.strip().upper()) or close_to(code, CURRENCIES)
