"""The process in which student code runs, and the referee's handle of it.

The referee's end, each importing those after it: `handle.py` (Worker), `script.py`, `session.py`, `building.py`,
`connection.py`, `server.py`, `budget.py`. The worker's end: `fork_server.py`, `isolation.py`, `requests.py`,
`loading.py`, `build_requests.py`, `results.py`, `engine.py`, `modes.py`. Both ends: `recording.py`, `protocol.py`,
`channel.py`.
"""
