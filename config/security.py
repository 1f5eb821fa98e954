"""What follows from the address that people use: hosts, cookies, TLS; and the content security policy."""

from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF

LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
YEAR_S = 31_536_000

# No inline code or style anywhere: what a page runs and how it looks comes from our own files.
CONTENT_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

NO_DEVICES = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "usb",
    )
)


def public_address(text: str) -> str:
    """Check the address that people type, such as https://decodeck.example.com; a ValueError says what's wrong."""
    address = (text or "http://localhost:8000").rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
        raise ValueError(f"must look like https://decodeck.example.com, without a path; it is {text!r}")
    return address


def address_settings(
    address: str, *, hosts: list[str], plain_http: bool, trusted_proxies: int
) -> dict[str, Any]:
    """Return Django's settings for a site at `address`; a ValueError refuses plain HTTP beyond this machine.

    Cookies and redirects follow the scheme: passwords over plain HTTP are for a first look on the same
    machine, and for nobody else unless `plain_http` says that the operator knows.
    """
    parts = urlsplit(address)
    tls = parts.scheme == "https"
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not tls and not local and not plain_http:
        raise ValueError(
            f"{address} would send passwords in the clear; use https, or set DECODECK_INSECURE_HTTP=1 to accept that"
        )
    if tls and not trusted_proxies:
        # Without it every request looks plain and is redirected for ever, and all people share one address.
        raise ValueError(
            f"{address} is served by a proxy in front of this server: set DECODECK_TRUSTED_PROXIES, usually to 1"
        )
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else str(parts.hostname)
    return {
        "ALLOWED_HOSTS": list(dict.fromkeys([host, *hosts, *LOCAL_HOSTS])),
        "CSRF_TRUSTED_ORIGINS": [address],
        "SESSION_COOKIE_SECURE": tls,
        "CSRF_COOKIE_SECURE": tls,
        "LANGUAGE_COOKIE_SECURE": tls,
        "SECURE_SSL_REDIRECT": tls,
        # Asked from within the machine or its network, by what has no certificate to check.
        "SECURE_REDIRECT_EXEMPT": [r"^healthz$", r"^readyz$", r"^metrics$"],
        "SECURE_HSTS_SECONDS": YEAR_S if tls else 0,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": tls,
        # The header is a stranger's word unless a proxy of ours writes it.
        "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https") if trusted_proxies else None,
    }
