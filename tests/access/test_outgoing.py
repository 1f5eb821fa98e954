"""Which addresses this server calls: what is listed, where it really is, and nothing else."""

import socket

import pytest

from access import outgoing
from access.outgoing import RefusedError, check


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names whose addresses are ours to say: the test asks no name server."""
    known = {
        "hooks.example": ["93.184.216.34"],
        "a.hooks.example": ["93.184.216.34"],
        "evilhooks.example": ["93.184.216.34"],
        "inside.example": ["10.1.2.3"],
        "both.example": ["93.184.216.34", "127.0.0.1"],
        "mapped.example": ["::ffff:127.0.0.1"],
        "metadata.example": ["169.254.169.254"],
    }

    def getaddrinfo(host: str, port: int, **_options: object) -> list[tuple[object, ...]]:
        addresses = known.get(host, [] if host.endswith(".example") else [host])
        return [(None, None, 0, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://hooks.example/x?y=1", ["hooks.example"]),
        ("https://HOOKS.example/", ["Hooks.Example"]),
        ("https://a.hooks.example/", [".hooks.example"]),
        ("http://inside.example:8080/", ["10.0.0.0/8"]),
        ("http://10.1.2.3/", ["10.1.2.3"]),
        ("http://[2606:2800:220:1::1]/", ["2606:2800:220:1::1/128"]),
    ],
)
def test_listed_address_is_called(url: str, allowed: list[str]) -> None:
    assert check(url, allowed=allowed).address


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://hooks.example/", []),
        ("https://hooks.example/", ["example"]),
        ("https://evilhooks.example/", ["hooks.example"]),
        ("http://inside.example/", ["inside.example"]),
        ("http://both.example/", ["both.example"]),
        ("http://mapped.example/", ["mapped.example"]),
        ("http://metadata.example/", ["metadata.example"]),
        ("http://127.0.0.1/", ["10.0.0.0/8"]),
        ("http://0.0.0.0/", ["hooks.example"]),
        ("http://[::1]/", ["hooks.example"]),
        ("file:///etc/passwd", ["hooks.example"]),
        ("gopher://hooks.example/", ["hooks.example"]),
        ("https://user:password@hooks.example/", ["hooks.example"]),
        ("https://hooks.example:99999/", ["hooks.example"]),
        ("https:///path", ["hooks.example"]),
        ("nonsense", ["hooks.example"]),
    ],
)
def test_other_address_is_refused(url: str, allowed: list[str]) -> None:
    with pytest.raises(RefusedError):
        check(url, allowed=allowed)


@pytest.mark.usefixtures("names")
def test_address_that_was_checked_is_the_one_called() -> None:
    target = check("https://hooks.example/x?y=1", allowed=["hooks.example"])
    assert (target.host, target.address, target.port, target.path, target.tls) == (
        "hooks.example",
        "93.184.216.34",
        443,
        "/x?y=1",
        True,
    )


def test_body_beyond_the_bound_is_refused() -> None:
    with pytest.raises(RefusedError, match="256001 bytes"):
        outgoing.post("https://hooks.example/", body=b"x" * 256_001, headers={}, allowed=["hooks.example"])
