# The script asks another machine for a kernel.
# answer: 00-candidate
# says: (Network is unreachable|Errno)
import socket

source = socket.create_connection(("192.0.2.1", 80), timeout=5).recv(1 << 16)
