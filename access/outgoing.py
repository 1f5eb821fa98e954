"""Calls that leave this server, to hosts that the operator listed.

An address that somebody typed into a form must not make the server talk to its own network: a host passes by
its name or by the network it lies in, and a private address only by its network, so that a listed name which
someone points at 127.0.0.1 is refused. The address that was checked is the one that is connected to, and
a redirect is followed, where it is at all, only after it passed the same check: both would else let a host change
its mind after the check.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

TIMEOUT_S = 10.0
BODY_LIMIT_BYTES = 256_000
REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS = 5

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a host answered: any status but a redirect that was followed. `cut`: the body is longer than was read."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    url: str
    cut: bool = False


def deadline_in(seconds: float) -> float:
    """The moment, on this process's clock, at which calls made for one purpose must be over."""
    return time.monotonic() + seconds


def get(
    url: str,
    *,
    headers: Mapping[str, str],
    allowed: Iterable[str],
    limit_bytes: int,
    deadline: float,
    secret_headers: Mapping[str, str] | None = None,
    redirects: int = MOST_REDIRECTS,
) -> Fetched:
    """Fetch at most `limit_bytes` of what is at `url`, all redirects included before `deadline`.

    Each redirect is held against `allowed` like the first address. `secret_headers` go to the first address's own
    scheme, host and port and nowhere else. Raises RefusedError or FailedError.
    """
    listed, first = list(allowed), _origin(url)
    for _hop in range(redirects + 1):
        secret = secret_headers if secret_headers and _origin(url) == first else {}
        found = _get_one(
            url, headers={**headers, **secret}, allowed=listed, limit_bytes=limit_bytes, deadline=deadline
        )
        if found.status not in REDIRECTS:
            return found
        if "location" not in found.headers:
            raise FailedError(f"answered {found.status} without saying where to")
        url = urljoin(url, found.headers["location"])
    raise FailedError(f"redirected more than {redirects} times")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return parts.scheme, parts.hostname, None


def _get_one(
    url: str, *, headers: Mapping[str, str], allowed: list[str], limit_bytes: int, deadline: float
) -> Fetched:
    target = check(url, allowed=allowed)
    timeout_s = min(TIMEOUT_S, deadline - time.monotonic())
    if timeout_s <= 0:
        raise FailedError("took too long")
    try:
        with closing(_connection(target, timeout_s=timeout_s)) as connection, _ended_at(connection, deadline):
            connection.request("GET", target.path, headers={"Accept-Encoding": "identity", **headers})
            response = connection.getresponse()
            body = b"" if response.status in REDIRECTS else response.read(limit_bytes + 1)
    except (OSError, http.client.HTTPException, ValueError) as error:
        late = time.monotonic() >= deadline
        raise FailedError("took too long" if late else f"{type(error).__name__}: {error}") from None
    if time.monotonic() >= deadline:
        raise FailedError("took too long")
    return Fetched(
        status=response.status,
        headers={name.lower(): text for name, text in response.getheaders()},
        body=body[:limit_bytes],
        url=url,
        cut=len(body) > limit_bytes,
    )


@contextmanager
def _ended_at(connection: http.client.HTTPConnection, deadline: float) -> Iterator[None]:
    """Shut the connection at the deadline: a host that sends a byte now and then never runs into a timeout."""
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), _shut, [connection.sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(raw: socket.socket) -> None:
    with suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)


def _connection(target: Target, *, timeout_s: float = TIMEOUT_S) -> http.client.HTTPConnection:
    """A connection to the checked address, in which the TLS certificate must be the host's."""
    raw = socket.create_connection((target.address, target.port), timeout=timeout_s)
    if not target.tls:
        connection = http.client.HTTPConnection(target.host, target.port, timeout=timeout_s)
        connection.sock = raw
        return connection
    context = ssl.create_default_context()
    connection = http.client.HTTPSConnection(target.host, target.port, timeout=timeout_s, context=context)
    try:
        connection.sock = context.wrap_socket(raw, server_hostname=target.host)
    except OSError:
        raw.close()
        raise
    return connection
