"""Counting in the database, so that a limit holds over all web processes and survives a restart."""

import hashlib
from datetime import timedelta

from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from access.models import Counter

CALLS_PER_MINUTE = 600
# Of those that search the catalog: one takes a web process for tenths of a second
SEARCHES_PER_MINUTE = 60
SIGN_IN_WINDOW = timedelta(minutes=15)
FAILED_SIGN_INS_PER_NAME = 8
FAILED_SIGN_INS_PER_ADDRESS = 100


def allow(key: str, *, limit: int, window: timedelta) -> bool:
    """Count one more under `key` unless `limit` is reached in the running window, and say whether it was counted.

    Each step is one filtered write, so two processes can never both take the last place. One query as long
    as the window runs and has room.
    """
    now = timezone.now()
    running = Counter.objects.filter(key=key, expires_at__gt=now)
    if running.filter(count__lt=limit).update(count=F("count") + 1):
        return True
    if Counter.objects.filter(key=key, expires_at__lte=now).update(count=1, expires_at=now + window):
        return True
    fresh = Counter(key=key, count=0, expires_at=now + window)
    Counter.objects.bulk_create([fresh], ignore_conflicts=True)
    return bool(running.filter(count__lt=limit).update(count=F("count") + 1))


def seconds_left(key: str) -> int:
    """Until when the window of `key` runs; 0 when none does."""
    counter = Counter.objects.filter(key=key).first()
    left = (counter.expires_at - timezone.now()).total_seconds() if counter else 0.0
    return max(0, round(left))


def forget(*keys: str) -> None:
    """Start the windows of these keys anew."""
    Counter.objects.filter(key__in=keys).delete()


def give_back(key: str) -> None:
    """Take one off the count of `key`."""
    Counter.objects.filter(key=key, count__gt=0).update(count=F("count") - 1)


def sign_in_limits(username: str, *, address: str) -> dict[str, int]:
    """The counters that an attempt to sign in runs against, with their limits.

    By name and address together, so that a stranger can't lock a colleague out from elsewhere; and by
    address alone, so that trying one password on many names ends too. Names are hashed: they are typed by
    strangers, of any length, and now and then someone types a password there.
    """
    name = hashlib.sha256(username.casefold().encode()).hexdigest()[:32]
    return {
        f"sign-in:{name}:{address}"[:80]: FAILED_SIGN_INS_PER_NAME,
        f"sign-in-from:{address}"[:80]: FAILED_SIGN_INS_PER_ADDRESS,
    }


class CallThrottle(BaseThrottle):
    """The REST framework's throttle: so many calls a minute for each token, and for each person without one."""

    key = ""
    prefix = ""

    def allow_request(self, request: Request, view: object) -> bool:
        token = request.auth
        self.key = self.prefix + (f"token:{token.pk}" if token is not None else f"user:{request.user.pk}")
        return allow(self.key, limit=self.limit(), window=timedelta(minutes=1))

    def limit(self) -> int:
        """Calls a minute."""
        return CALLS_PER_MINUTE

    def wait(self) -> float:
        return float(seconds_left(self.key))


class SearchThrottle(CallThrottle):
    """Fewer calls a minute, of those that search the catalog, so that one token cannot hold every web process."""

    prefix = "search:"

    def limit(self) -> int:
        return SEARCHES_PER_MINUTE


def client_address(request: HttpRequest, *, trusted_proxies: int) -> str:
    """Where a request comes from: the entry of X-Forwarded-For that our outermost own proxy wrote.

    With no proxy of ours in front, the header is a stranger's word and is not read.
    """
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    if trusted_proxies and len(hops) >= trusted_proxies:
        return hops[-trusted_proxies]
    return request.META.get("REMOTE_ADDR", "")
