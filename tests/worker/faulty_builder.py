"""A builder for `test_builder.py` that fails as COURSE_FAULT says, or that lists the modules it has imported."""

from __future__ import annotations

import os
import signal
import sys
import time

from course.worker import builder_process
from course.worker.messages import RequestStream

if __name__ == "__main__":
    fault, channel = os.environ["COURSE_FAULT"], int(sys.argv[1])
    if fault == "hangs":
        time.sleep(600)
    if fault == "prints":
        for _ in range(200):
            print("x" * (1 << 20), flush=True)
    if fault == "sends too much":
        with RequestStream(channel) as referee:
            referee.receive()
            referee.send({"symbols": ["x" * (2 << 20)]})
    if fault == "dies":
        builder_process.built = lambda **request: os.kill(os.getpid(), signal.SIGKILL)
    if fault == "lists modules":
        send = RequestStream.send
        RequestStream.send = lambda self, reply: send(self, {**reply, "modules": sorted(sys.modules)})
    builder_process.main(channel)
