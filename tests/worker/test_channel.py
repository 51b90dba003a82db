"""The frames between the referee and a worker, without a process at the other end."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from course.worker import connection
from course.worker.connection import Channel, TooMuchPrinted
from course.worker.messages import FRAME, RequestStream

pytestmark = pytest.mark.quick

BOUNDS = (1000, 100)


def until(deadline: float) -> Callable[[], float]:
    """A limit of time that ends at `deadline`."""

    def left() -> float:
        if (seconds := deadline - time.monotonic()) <= 0:
            raise TimeoutError
        return seconds

    return left


class Ends:
    """A channel, and the ends of it that a worker holds."""

    def __init__(self) -> None:
        here, self.there = socket.socketpair()
        output, self.written = os.pipe()
        self.channel = Channel(here, output)

    def exchange(self, answer: Callable[[RequestStream], None], seconds: float = 5.0) -> tuple[dict, bytearray]:
        """The reply to a request that `answer` serves in a thread."""
        with RequestStream(os.dup(self.there.fileno())) as stream:
            thread = threading.Thread(target=answer, args=(stream,))
            thread.start()
            try:
                return self.channel.exchange({"do": "it"}, until(time.monotonic() + seconds), b"ab", BOUNDS)
            finally:
                thread.join()


@pytest.fixture
def ends() -> Iterator[Ends]:
    both = Ends()
    yield both
    both.channel.close()
    both.there.close()
    os.close(both.written)


def test_a_request_and_its_reply_bring_their_bytes(ends: Ends) -> None:
    def answer(stream: RequestStream) -> None:
        assert stream.receive() == {"do": "it", "payload": b"ab"}
        stream.send({"done": True}, b"xyz")

    assert ends.exchange(answer) == ({"done": True}, b"xyz")


@pytest.mark.parametrize(("header", "payload"), [(BOUNDS[0], 0), (0, BOUNDS[1] + 1)])
def test_a_reply_that_is_larger_than_its_bounds_is_none(ends: Ends, header: int, payload: int) -> None:
    def answer(stream: RequestStream) -> None:
        stream.receive()
        stream.send({"long": "x" * header}, b"x" * payload)

    with pytest.raises(ValueError, match="larger than a reply may be"):
        ends.exchange(answer)


@pytest.mark.parametrize("number", ["", '"number": "0", '])
def test_a_reply_without_the_number_of_its_request_is_none(ends: Ends, number: str) -> None:
    def answer(stream: RequestStream) -> None:
        stream.receive()
        text = f'{{{number}"done": true}}'.encode()
        ends.there.sendall(FRAME.pack(len(text), 0) + text)

    with pytest.raises(ValueError, match="not the reply to this request"):
        ends.exchange(answer)


def test_nothing_may_be_sent_ahead_of_a_request_or_after_its_reply(ends: Ends) -> None:
    def answer(stream: RequestStream) -> None:
        request = FRAME.unpack(ends.there.recv(FRAME.size))[0]
        number = json.loads(ends.there.recv(request))["number"]
        text = json.dumps({"number": number}).encode()
        ends.there.sendall(FRAME.pack(len(text), 0) + text + b"more")

    with pytest.raises(ValueError, match="sent after the reply"):
        ends.exchange(answer)
    with pytest.raises(ValueError, match="sent ahead of the request"):
        ends.channel.exchange({}, lambda: 5.0, b"", BOUNDS)


def test_a_reply_that_does_not_come_is_waited_for_until_the_deadline(ends: Ends) -> None:
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        ends.exchange(lambda stream: None, seconds=0.2)
    assert 0.2 <= time.monotonic() - start < 5


def test_an_end_that_is_closed_is_an_error(ends: Ends) -> None:
    with pytest.raises(OSError):
        ends.exchange(lambda stream: ends.there.shutdown(socket.SHUT_RDWR))


def test_what_is_printed_is_read_during_an_exchange_and_bounded(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "WRITTEN_BOUND", 1 << 20)

    def answer(stream: RequestStream) -> None:
        stream.receive()
        for _ in range(17):
            os.write(ends.written, b"x" * (1 << 16))  # the capacity of a pipe

    with pytest.raises(TooMuchPrinted):
        ends.exchange(answer)
    assert ends.channel.printed == b"x" * connection.PRINTED_BOUND
