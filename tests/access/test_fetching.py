"""Fetching from a listed host: redirects, what is secret, what is too long, and what takes too long."""

import pytest

from access.outgoing import FailedError, Fetched, RefusedError, deadline_in, get
from tests.access.answering import ALLOWED, Said, answering

SECRET = {"Authorization": "Bearer open-sesame"}


def fetched(
    url: str, *, limit: int = 1_000, seconds: float = 10.0, allowed: list[str] | None = None
) -> Fetched:
    return get(
        url,
        headers={"User-Agent": "decodeck"},
        secret_headers=SECRET,
        allowed=ALLOWED if allowed is None else allowed,
        limit_bytes=limit,
        deadline=deadline_in(seconds),
    )


def test_body_and_headers_are_answered() -> None:
    with answering({"/a": Said(b"text", headers={"X-Commit": "1"})}) as host:
        found = fetched(f"{host.url}/a")
        assert (found.status, found.body, found.headers["x-commit"], found.cut) == (200, b"text", "1", False)
        assert host.asked[0][1]["authorization"] == "Bearer open-sesame"
        assert host.asked[0][1]["accept-encoding"] == "identity"


def test_refusal_of_the_host_is_an_answer() -> None:
    with answering() as host:
        assert fetched(f"{host.url}/nothing").status == 404


def test_body_beyond_the_limit_is_cut_and_says_so() -> None:
    with answering({"/a": Said(b"x" * 5_000_000)}) as host:
        found = fetched(f"{host.url}/a", limit=10)
    assert (found.body, found.cut) == (b"x" * 10, True)


def test_redirect_within_the_host_keeps_the_secret() -> None:
    with answering({"/a": Said(status=302, headers={"Location": "/b"}), "/b": Said(b"there")}) as host:
        assert fetched(f"{host.url}/a").body == b"there"
        assert [headers.get("authorization") for _path, headers in host.asked] == ["Bearer open-sesame"] * 2


def test_redirect_elsewhere_loses_the_secret() -> None:
    with answering({"/b": Said(b"there")}) as other:
        location = {"Location": f"{other.url}/b"}
        with answering({"/a": Said(status=307, headers=location)}) as host:
            found = fetched(f"{host.url}/a")
        assert (found.body, found.url) == (b"there", f"{other.url}/b")
        assert [headers.get("authorization") for _path, headers in other.asked] == [None]


def test_redirect_off_the_list_is_refused_before_anything_is_sent() -> None:
    with answering({"/b": Said(b"there")}) as other:
        port = other.server_address[1]
        location = {"Location": f"http://[::1]:{port}/b"}
        with answering({"/a": Said(status=302, headers=location)}) as host, pytest.raises(RefusedError):
            fetched(f"{host.url}/a")
        assert other.asked == []


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://user:word@127.0.0.1/"]
)
def test_redirect_to_something_else_than_http_is_refused(location: str) -> None:
    with (
        answering({"/a": Said(status=302, headers={"Location": location})}) as host,
        pytest.raises(RefusedError),
    ):
        fetched(f"{host.url}/a")


def test_redirects_in_a_circle_end() -> None:
    with answering({"/a": Said(status=302, headers={"Location": "/a"})}) as host:
        with pytest.raises(FailedError, match="redirected more than 5 times"):
            fetched(f"{host.url}/a")
        assert len(host.asked) == 6


def test_redirect_to_nowhere_is_a_failure() -> None:
    with (
        answering({"/a": Said(status=302)}) as host,
        pytest.raises(FailedError, match="without saying where"),
    ):
        fetched(f"{host.url}/a")


def test_host_that_drips_is_left_at_the_deadline() -> None:
    with (
        answering({"/a": Said(b"x" * 500, drip=0.05)}) as host,
        pytest.raises(FailedError, match="took too long"),
    ):
        fetched(f"{host.url}/a", limit=1_000_000, seconds=0.3)


def test_deadline_that_has_passed_calls_nobody() -> None:
    with answering({"/a": Said(b"x")}) as host:
        with pytest.raises(FailedError, match="took too long"):
            fetched(f"{host.url}/a", seconds=-1.0)
        assert host.asked == []


def test_host_that_is_not_listed_is_not_called() -> None:
    with answering({"/a": Said(b"x")}) as host:
        with pytest.raises(RefusedError):
            fetched(f"{host.url}/a", allowed=["hub.example"])
        assert host.asked == []


def test_port_where_nobody_listens_is_a_failure() -> None:
    with answering() as host:
        url = host.url
    with pytest.raises(FailedError, match="ConnectionRefusedError"):
        fetched(f"{url}/a")
