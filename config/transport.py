"""Kombu's file-system transport, with messages that appear and are taken whole.

The original opens a message under its final name and then writes it, so a worker that looks in between takes
an empty message and stops; and it moves a message to the system's temporary folder, which is a copy where
that's another disk. Here both are one rename inside the folder.
"""

import os
from collections.abc import Mapping
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

    def _put(self, queue: str, payload: Mapping[str, Any], **_: Any) -> None:
        folder = Path(self.data_folder_out)
        name = f"{time_ns():020d}_{uuid4()}.{queue}.msg"
        hidden = folder / f".{name}"
        hidden.write_text(dumps(payload))
        hidden.rename(folder / name)

    def _get(self, queue: str) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f".{name}.{os.getpid()}"
            # Another worker was faster: the next message is ours.
            with suppress(FileNotFoundError):
                (folder / name).rename(taken)
                payload = loads(taken.read_text())
                taken.unlink()
                return payload
        raise Empty


class Transport(filesystem.Transport):
    """The transport of that channel; makes its folders."""

    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        for name in ("data_folder_in", "control_folder"):
            Path(client.transport_options[name]).mkdir(parents=True, exist_ok=True)
