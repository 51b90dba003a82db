# A file is written without an end.
# answer: 00-candidate
# says: OSError: \[Errno 27\] File too large
import tempfile

with tempfile.TemporaryFile() as file:
    while True:
        file.write(bytes(1 << 20))
