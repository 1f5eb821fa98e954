"""Settings from the environment: a wrong value stops the start and names its variable."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env import envbool, envint, envlist, envread, envsecret
from config.keys import key_from_file, new_encryption_key, new_secret_key
from config.security import address_settings, public_address


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("Yes", True), ("ON ", True), ("0", False), ("off", False), ("", None)]
)
def test_yes_or_no_is_read(text: str, value: bool | None) -> None:
    for default in (True, False):
        expected = default if value is None else value
        assert envbool("X", default=default, environ={"X": text}) is expected


def test_word_that_is_neither_yes_nor_no_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X must be one of .*'maybe'$"):
        envbool("X", environ={"X": "maybe"})


@pytest.mark.parametrize("text", ["x", "1.5", "1e3", "0", "11", "9" * 30])
def test_number_out_of_range_stops_the_start(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X must be"):
        envint("X", default=5, low=1, high=10, environ={"X": text})


def test_list_is_split_at_commas() -> None:
    assert envlist("X", default=["d"], environ={"X": " a, b,,c "}) == ["a", "b", "c"]
    assert envlist("X", default=["d"], environ={"X": " , "}) == ["d"]


def test_reader_names_the_variable() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X: must look like https"):
        envread("X", public_address, environ={"X": "decodeck.example.com"})


def test_secret_comes_from_the_variable_or_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from file\n")
    assert envsecret("X", environ={"X_FILE": str(file)}) == "from file"
    assert envsecret("X", environ={"X": "direct", "X_FILE": str(file)}) == "direct"
    assert envsecret("X", environ={}) == ""


def test_secret_file_that_is_missing_or_empty_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    for name, reason in (("missing", "cannot read"), ("empty", "is empty")):
        with pytest.raises(ImproperlyConfigured, match=rf"^X_FILE: .*{reason}"):
            envsecret("X", environ={"X_FILE": str(tmp_path / name)})


def test_key_is_made_once_by_many_and_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret_key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _n: key_from_file(path, make=new_secret_key, variable="X"), range(32)))
    assert len(keys) == 1
    assert len(keys.pop()) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_key_that_cannot_be_made_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match=r"set SECRET_KEY$"):
        key_from_file(tmp_path / "file" / "secret_key", make=new_secret_key, variable="SECRET_KEY")
    with pytest.raises(ImproperlyConfigured, match="is empty"):
        key_from_file(tmp_path / "file", make=new_encryption_key, variable="X")


@pytest.mark.parametrize(
    "text", ["decodeck", "ftp://a.example", "https://", "https://a.example/path", "https://a.example?x=1"]
)
def test_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must look like https"):
        public_address(text)


def settings_of(address: str, *, plain_http: bool = False, proxies: int = 1) -> dict[str, object]:
    return address_settings(public_address(address), hosts=[], plain_http=plain_http, trusted_proxies=proxies)


def test_https_needs_to_know_its_proxy() -> None:
    with pytest.raises(ValueError, match="set DECODECK_TRUSTED_PROXIES"):
        settings_of("https://deck.example", proxies=0)


def test_https_makes_cookies_secure_and_asks_for_tls() -> None:
    found = settings_of("https://deck.example/")
    names = ["SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS"]
    assert [found[name] for name in names] == [True, True, True, 31_536_000]
    assert found["ALLOWED_HOSTS"] == ["deck.example", "localhost", "127.0.0.1", "[::1]"]


def test_plain_http_is_for_this_machine_unless_the_operator_says_so() -> None:
    assert settings_of("http://localhost:8000")["SESSION_COOKIE_SECURE"] is False
    with pytest.raises(ValueError, match="DECODECK_INSECURE_HTTP=1"):
        settings_of("http://deck.example")
    assert settings_of("http://deck.example", plain_http=True)["SESSION_COOKIE_SECURE"] is False


def manage(root: Path, var: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    # A browser test that ran before leaves it set, and the check rightly complains.
    inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=root,
        env={**inherited, "DECODECK_VAR": str(var), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_deployment_check_is_clean_for_a_site_with_tls(root: Path, tmp_path: Path) -> None:
    tls = {"DECODECK_URL": "https://deck.example", "DECODECK_TRUSTED_PROXIES": "1"}
    done = manage(root, tmp_path, "check", "--deploy", "--fail-level=INFO", **tls)
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (1 silenced).\n"), (
        done.stderr
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DECODECK_URL", "deck.example"),
        ("DECODECK_INSECURE_HTTP", "perhaps"),
        ("DECODECK_TRUSTED_PROXIES", "-1"),
        ("DECODECK_SMTP_PORT", "smtp"),
        ("DECODECK_ENCRYPTION_KEY", "short"),
        ("SECRET_KEY_FILE", "/nowhere/key"),
    ],
)
def test_start_stops_at_a_wrong_value(root: Path, tmp_path: Path, name: str, value: str) -> None:
    done = manage(root, tmp_path, "check", **{name: value})
    assert done.returncode != 0
    assert done.stderr.startswith(f"decodeck: {name}")
