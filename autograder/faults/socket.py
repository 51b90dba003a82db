# The cell asks another machine for the answer.
# answer: 00-blocks
# says: (Network is unreachable|Errno)
import socket

blocks = int(socket.create_connection(("192.0.2.1", 80), timeout=5).recv(100))
