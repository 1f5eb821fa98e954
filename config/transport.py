"""Kombu's file-system transport, with messages that appear and are taken whole.

The original opens a message under its final name and then writes it, so a worker that looks in between takes
an empty message and stops; and it moves a message to the system's temporary folder, which is a copy where
that's another disk. Here both are one rename inside the folder.
"""

import os
from contextlib import suppress
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any
from uuid import uuid4

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads


class Channel(filesystem.Channel):
    """Messages are files in one folder, in the order of the clock."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override] # its two bases differ
        folder = Path(self.data_folder_out)
        name = f"{time_ns():020d}_{uuid4()}.{queue}.msg"
        hidden = folder / f".{name}"
        try:
            hidden.write_text(dumps(payload))
            hidden.rename(folder / name)
        except OSError:
            # On a full disk each tick would leave one more of them behind.
            hidden.unlink(missing_ok=True)
            raise

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for path in sorted(folder.glob(f"[0-9]*_*.{queue}.msg")):
            taken = folder / f".{path.name}.{os.getpid()}"
            # Another worker was faster: the next message is ours.
            with suppress(FileNotFoundError):
                path.rename(taken)
                message = loads(taken.read_text())
                taken.unlink()
                return message
        raise Empty


class Transport(filesystem.Transport):
    """The transport of that channel; makes its folders."""

    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        for name in ("data_folder_in", "control_folder"):
            Path(client.transport_options[name]).mkdir(parents=True, exist_ok=True)
