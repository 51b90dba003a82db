"""The processes in which student code runs and is built, and the referee's side of them.

- In the referee's process: `worker.py` (Worker), `modules.py`, `connection.py`, `server.py`. Each imports only later
  ones.
- In the process that runs student code: the folder `inside/`.
- In a process that builds modules, without student code: `builder_process.py`.
- On both sides: `recording.py`, `protocol.py`, `cells.py`, `messages.py`.
"""
