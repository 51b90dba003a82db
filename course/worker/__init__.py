"""The process in which student code runs, and the referee's handle of it.

- The referee's end: `handle.py` (Worker), `script.py`, `session.py`, `modules.py`, `builder_pool.py`,
  `connection.py`, `server.py`, `budget.py`. Each imports only later ones.
- The worker's end: `fork_server.py`, `isolation.py`, `requests.py`, `loading.py`, `worker_load_inline.py`,
  `results.py`, `engine.py`, `emulated_gpu.py`, `emulated_cuda.py`, `modes.py`.
- Both ends: `recording.py`, `protocol.py`, `cells.py`, `message_fields.py`, `channel.py`.
- A third process, which builds modules: `builder_process.py`.
"""
