"""The web server's own limits."""

import socket

import pytest

from config.gunicorn import limit_stalls


def test_client_that_stalls_gives_its_thread_back() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        limit_stalls(listener, seconds=0.05)
        with socket.create_connection(listener.getsockname()) as client:
            served, _address = listener.accept()
            with served:
                served.setblocking(True)
                client.sendall(b"POST /")
                assert served.recv(100) == b"POST /"
                with pytest.raises(BlockingIOError):
                    served.recv(100)
