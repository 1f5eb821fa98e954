"""Processes that end with the one that started them."""

import ctypes
import signal
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def end_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` by which a child gets SIGTERM when its parent dies, however it dies.

    Only Linux can promise that; elsewhere it's None, and a parent that is killed outright leaves its children.
    """
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)

    def set_signal() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

    return set_signal
