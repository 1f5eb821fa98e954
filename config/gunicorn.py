"""How gunicorn serves the pages. Values from the environment."""

import os
import socket
import struct
from pathlib import Path
from typing import Any

from config.env import envint
from config.logs import logging_settings

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = envint("WEB_WORKERS", default=2, low=1, high=256)
threads = envint("WEB_THREADS", default=4, low=1, high=256)
worker_class = "gthread"
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - its heartbeat, on no disk
timeout = 60
graceful_timeout = 20
keepalive = 5
max_requests = 20_000
max_requests_jitter = 2_000
# A page's whole state is in its address: longer than the default 4094.
limit_request_line = 8190
limit_request_fields = 60
forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1")
# The pages' own request log has a line for each answer.
accesslog = None
control_socket_disable = True
logconfig_dict = logging_settings(os.environ.get("LOG_LEVEL", ""))

# A thread serves one client at a time: one that says or takes nothing for so long gives its thread back.
STALL_S = 10


def when_ready(server: Any) -> None:
    """Limit how long clients may stall."""
    for listener in server.LISTENERS:
        limit_stalls(listener.sock, seconds=STALL_S)


def limit_stalls(listener: socket.socket, *, seconds: float) -> None:
    """Make reads and writes of the connections that come in fail after so long without a byte.

    By the kernel's own timeouts, which connections inherit: Python's are reset with each request.
    """
    timeval = struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval)


def child_exit(server: Any, worker: Any) -> None:
    """Take the gauges of a dead process out of the metrics."""
    from prometheus_client import multiprocess

    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        multiprocess.mark_process_dead(worker.pid)
