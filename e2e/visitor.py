"""A person's browser as far as these checks need one: cookies, forms and JSON, over plain HTTP."""

import json
import re
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
TIMEOUT_S = 20


class Visitor:
    """Talks to one server and keeps its cookies."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.cookies = CookieJar()
        self.opener = build_opener(HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> tuple[int, str]:
        """Return status and body; status 0 when nobody answers. `path` may be a whole address of the server."""
        return self._send(Request(self._url(path)))

    def submit(self, path: str, **fields: str) -> tuple[int, str]:
        """Open the page at `path` and send its form with these fields, following where it leads."""
        _status, page = self.get(path)
        found = _TOKEN.search(page)
        form = {"csrfmiddlewaretoken": found.group(1) if found else "", **fields}
        headers = {"Referer": self._url(path)}
        return self._send(Request(self._url(path), data=urlencode(form).encode(), headers=headers))

    def post_json(self, path: str, body: Any) -> tuple[int, str]:
        """Send JSON as the signed-in person."""
        token = next((cookie.value for cookie in self.cookies if cookie.name == "csrftoken"), "") or ""
        headers = {"Content-Type": "application/json", "X-CSRFToken": token, "Referer": self._url("/")}
        return self._send(Request(self._url(path), data=json.dumps(body).encode(), headers=headers))

    def _url(self, path: str) -> str:
        return path if path.startswith(self.address) else self.address + path

    def _send(self, request: Request) -> tuple[int, str]:
        try:
            with self.opener.open(request, timeout=TIMEOUT_S) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except (URLError, OSError):
            return 0, ""
