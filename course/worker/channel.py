"""The referee's and the worker's end of a channel. A frame is a JSON header and raw bytes, both of bounded size.

A reply repeats a random number of its request, and nothing follows the reply. Data that student code sends before the
request or beside the reply is not accepted.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import socket
import struct
from collections.abc import Callable
from typing import Any

FRAME = struct.Struct("<QQ")  # bytes of the JSON header, bytes of the payload
PRINTED_BOUND = 1 << 16  # bytes of the code's output that are kept
WRITTEN_BOUND = 64 << 20  # bytes of output that the code may write


class TooMuchPrinted(Exception):
    """The process has written more than WRITTEN_BOUND bytes to stdout and stderr."""


class Channel:
    """The referee's end: it sends requests, waits for replies, and reads what the code prints.

    `connection` is a socket to the worker, `output` the pipe to which the worker's stdout and stderr go. Both are
    closed by `close`. `printed` has the first PRINTED_BOUND bytes from that pipe.
    """

    def __init__(self, connection: socket.socket, output: int):
        self._socket, self._output = connection, output
        self._socket.setblocking(False)
        os.set_blocking(output, False)
        self._written = 0
        self.printed = bytearray()

    def close(self) -> None:
        self._socket.close()
        os.close(self._output)

    def exchange(
        self, request: dict, left: Callable[[], float], payload: bytes | bytearray, bounds: tuple[int, int]
    ) -> tuple[dict, bytearray]:
        """Send one frame, and return the header and the payload of the reply.

        `left` returns how many seconds to wait before it is called again, or raises TimeoutError. `bounds` are the most
        bytes of the reply's header and payload. Raises ValueError or RecursionError for a malformed reply, what `left`
        raises, another OSError if the other end is closed, and TooMuchPrinted.
        """
        number = secrets.token_hex(16)
        data = json.dumps({**request, "number": number}).encode()
        if self.pending():
            raise ValueError("sent ahead of the request")
        self._send(FRAME.pack(len(data), len(payload)) + data, left)
        self._send(payload, left)
        header, size = FRAME.unpack(self._receive(FRAME.size, left))
        if header > bounds[0] or size > bounds[1]:
            raise ValueError("larger than a reply may be")
        reply = json.loads(self._receive(header, left))
        if not isinstance(reply, dict) or reply.pop("number", None) != number:
            raise ValueError("not the reply to this request")
        received = self._receive(size, left)
        if self.pending():
            raise ValueError("sent after the reply")
        return reply, received

    def pending(self) -> bool:
        """Whether the process has sent something that nobody asked for."""
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False

    @property
    def printed_too_much(self) -> bool:
        return self._written > WRITTEN_BOUND

    def drain(self) -> bool:
        """Read what the student's code has written, at most the content of a pipe. Returns False at its end."""
        try:
            data = os.read(self._output, 1 << 16)
        except BlockingIOError:
            return True
        self.printed += data[: PRINTED_BOUND - len(self.printed)]
        self._written += len(data)
        return bool(data)

    def _send(self, data: bytes | bytearray, left: Callable[[], float]) -> None:
        unsent = memoryview(data)
        while unsent:
            self._wait(selectors.EVENT_WRITE, left)
            with contextlib.suppress(BlockingIOError):
                unsent = unsent[self._socket.send(unsent) :]

    def _receive(self, size: int, left: Callable[[], float]) -> bytearray:
        data = bytearray(size)
        missing = memoryview(data)
        while missing:
            self._wait(selectors.EVENT_READ, left)
            with contextlib.suppress(BlockingIOError):
                count = self._socket.recv_into(missing)
                if not count:
                    raise ConnectionResetError
                missing = missing[count:]
        return data

    def _wait(self, events: int, left: Callable[[], float]) -> None:
        """Wait until the socket is ready, and read the student's output meanwhile, so that no print ever blocks."""
        # Not epoll, whose watches are limited per user: an answer might use all of them.
        with selectors.PollSelector() as selector:
            selector.register(self._socket, events)
            selector.register(self._output, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select(left())]
                if self._output in ready:
                    is_open = self.drain()
                    if self.printed_too_much:
                        raise TooMuchPrinted
                    if not is_open:
                        selector.unregister(self._output)  # the student's code closed it
                if self._socket in ready:
                    return


class RequestStream:
    """The worker's end: it reads requests one at a time, and each reply repeats the number of the last one."""

    def __init__(self, descriptor: int):
        self._socket = socket.socket(fileno=descriptor)
        self._reader = self._socket.makefile("rb")
        self._number = ""

    def __enter__(self) -> RequestStream:
        return self

    def __exit__(self, *exc: object) -> None:
        self._reader.close()
        self._socket.close()

    def receive(self) -> dict | None:
        """The referee's next request, with its bytes as `payload`; None if the referee has closed the channel."""
        frame = self._reader.read(FRAME.size)
        if not frame:
            return None
        header, size = FRAME.unpack(frame)
        request = json.loads(self._reader.read(header))
        self._number = request.pop("number")
        return {**request, "payload": self._reader.read(size)} if size else request

    def send(self, reply: dict, payload: Any = b"") -> None:
        """Send `reply` with `payload`, which is anything that has a buffer of bytes."""
        header = json.dumps({**reply, "number": self._number}).encode()
        self._socket.sendall(FRAME.pack(len(header), len(payload)) + header)
        self._socket.sendall(payload)
