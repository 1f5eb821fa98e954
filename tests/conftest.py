"""What every test may use. Each test's database, queue and folder are its own run's, never the developer's.

Which database and which queue a run uses, the environment says (DATABASE_URL, REDIS_URL), as for the product:
`make test` runs the suite once on SQLite with the folder queue, and then what uses a database or a queue
again on PostgreSQL with Redis.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.celery import app

DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_reset_sequences", "admin_client"}
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the database, so that it can be run again on the other one."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if item.get_closest_marker("django_db") or fixtures & DATABASE_FIXTURES:
            item.add_marker(pytest.mark.database)


@pytest.fixture(scope="session", autouse=True)
def _no_messages_leave() -> Iterator[None]:
    """Send what a test queues nowhere: tests of the queue start their own workers on their own queue."""
    before = app.conf.broker_url
    app.conf.broker_url = "memory://"
    yield
    app.conf.broker_url = before


@pytest.fixture(autouse=True)
def _language_ends_with_the_test() -> Iterator[None]:
    """A page asked for in Chinese leaves its language in the thread: the next test starts in English."""
    yield
    from django.utils import translation

    translation.deactivate()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep SQLite's test database in a file, as the product does: other processes and threads see it."""
    from django.conf import settings

    database: dict[str, Any] = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium for the whole run."""
    from playwright.sync_api import sync_playwright

    program = next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)
    assert program, "no Chromium on PATH (on Debian: apt-get install chromium fonts-noto-cjk)"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        # Playwright's loop lives in this thread, and Django takes that for asynchronous code.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        yield chromium
        os.environ.pop("DJANGO_ALLOW_ASYNC_UNSAFE")
        chromium.close()


@pytest.fixture
def page(browser: Any, live_server: Any) -> Iterator[Any]:
    """A fresh page of a fresh profile; addresses are relative to the running server."""
    context = browser.new_context(base_url=live_server.url)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return Path(__file__).resolve().parent.parent
