"""Calls that leave this server, to hosts that the operator listed.

An address that somebody typed into a form must not make the server talk to its own network: a host passes by
its name or by the network it lies in, and a private address only by its network, so that a listed name which
someone points at 127.0.0.1 is refused. The address that was checked is the one that is connected to, and
redirects are not followed, because both would let a host change its mind after the check.
"""

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_S = 10.0
BODY_LIMIT_BYTES = 256_000

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class RefusedError(Exception):
    """The address is not one that we may call; the message says which rule refuses it."""


class FailedError(Exception):
    """The call was made, or tried, and did not succeed."""


@dataclass(frozen=True, slots=True)
class Target:
    """A checked place to call: `address` is connected to, `host` is who we expect there."""

    tls: bool
    host: str
    port: int
    address: str
    path: str


def check(url: str, *, allowed: Iterable[str]) -> Target:
    """Resolve `url` and hold it against the list of host names, `.suffixes` and networks."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise RefusedError("only http and https addresses without a user name are called")
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise RefusedError("the port is not a number from 1 to 65535") from None
    listed = list(allowed)
    addresses = _resolve(parts.hostname, port)
    for address in addresses:
        _check_address(parts.hostname, address, listed)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(
        tls=parts.scheme == "https", host=parts.hostname, port=port, address=str(addresses[0]), path=path
    )


def _resolve(host: str, port: int) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FailedError(f"{host} has no address: {error}") from None
    return [ipaddress.ip_address(entry[4][0]) for entry in found]


def _check_address(host: str, address: Address, listed: list[str]) -> None:
    if any(address in network for network in _networks(listed)):
        return
    if not address.is_global or address.is_multicast:
        raise RefusedError(f"{host} is at {address}, a private address whose network is not listed")
    if not any(_names(entry, host) for entry in listed):
        raise RefusedError(f"{host} is not listed in DECODECK_OUTGOING_ALLOW")


def _networks(listed: list[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    networks = []
    for entry in listed:
        try:
            networks.append(ipaddress.ip_network(entry))
        except ValueError:  # a name
            continue
    return networks


def _names(entry: str, host: str) -> bool:
    entry, host = entry.lower(), host.lower().rstrip(".")
    return host.endswith(entry) if entry.startswith(".") else host == entry


def post(url: str, *, body: bytes, headers: Mapping[str, str], allowed: Iterable[str]) -> int:
    """Send `body` and return the status, which is from 200 to 299; anything else is a FailedError.

    The answer's body is never read: nobody needs it, and it may be endless.
    """
    if len(body) > BODY_LIMIT_BYTES:
        raise RefusedError(f"the body has {len(body)} bytes; at most {BODY_LIMIT_BYTES} are sent")
    target = check(url, allowed=allowed)
    try:
        with closing(_connection(target)) as connection:
            connection.request("POST", target.path, body=body, headers=dict(headers))
            status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise FailedError(f"{type(error).__name__}: {error}") from None
    if not 200 <= status <= 299:
        raise FailedError(f"answered {status}")
    return status


def _connection(target: Target) -> http.client.HTTPConnection:
    """A connection to the checked address, in which the TLS certificate must be the host's."""
    raw = socket.create_connection((target.address, target.port), timeout=TIMEOUT_S)
    if not target.tls:
        connection = http.client.HTTPConnection(target.host, target.port, timeout=TIMEOUT_S)
        connection.sock = raw
        return connection
    context = ssl.create_default_context()
    connection = http.client.HTTPSConnection(target.host, target.port, timeout=TIMEOUT_S, context=context)
    try:
        connection.sock = context.wrap_socket(raw, server_hostname=target.host)
    except OSError:
        raw.close()
        raise
    return connection
