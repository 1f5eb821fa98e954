"""Addresses and texts of the pages of plans."""

import re
from html import unescape
from typing import Any

from planner.models import SavedPlan


def address(plan: SavedPlan, rest: str = "") -> str:
    """The page of a plan, or one beneath it."""
    return f"/plans/{plan.uid}/{rest}"


def text_of(response: Any) -> str:
    """What a page says, without its markup."""
    html = re.sub(r"<(script|style).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).replace("\u00a0", " ")
