"""How long it takes to interrupt a function of the course in a fresh kernel, and how many lines are shown then.

`python -m tests.benchmarks.interrupts` prints one line per function and kernel. Cells are stopped while they work.
"""

from __future__ import annotations

import time
from queue import Empty

from jupyter_client.manager import start_new_kernel

KERNELS = 5
SETUP = "%load_ext course\nfrom course import check, compare, trace"
KERNEL = """%%cuda spinning
#include <torch/extension.h>

__global__ void spin(float* C) {  // {stamp}
    volatile int on = 1;
    while (on) C[0] = on;
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    spin<<<1, 1>>>(C.data_ptr<float>());
    return C;
}
"""
CELLS = {  # a call of each function that takes long enough to be interrupted
    "check": 'check("vector_add", spinning.add, points=1)',
    "compare": 'compare({"mine": spinning.add}, task="vector_add")',
    "trace": "import torch\ntrace(spinning.add, torch.ones(9), torch.ones(9))",
    "%%cuda": "%%cuda anew\n#include <torch/extension.h>\n// {stamp}\ntorch::Tensor f(torch::Tensor A) { return A; }",
}
CELLS["builds"] = CELLS["trace"]  # `trace` builds during its first second
WAIT = {"%%cuda": 0.15, "builds": 0.6}  # seconds until the interrupt


def interrupted(text: str, wait: float) -> tuple[float, list[str]]:
    """The seconds from the interrupt to the end of the cell in a fresh kernel, and the lines that it then shows."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        for cell in (SETUP, KERNEL.replace("{stamp}", str(time.time_ns()))):
            client.execute_interactive(cell, timeout=120, output_hook=lambda message: None)
        client.execute(text)
        time.sleep(wait)
        start = time.monotonic()
        manager.interrupt_kernel()
        client.get_shell_msg(timeout=120)
        seconds, lines = time.monotonic() - start, []
        while True:
            try:
                message = client.get_iopub_msg(timeout=1)
            except Empty:
                return seconds, lines
            if message["msg_type"] == "error":
                lines += "\n".join(message["content"]["traceback"]).splitlines()
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def main() -> None:
    """Interrupt each function in five fresh kernels."""
    for name, cell in CELLS.items():
        for _ in range(KERNELS):
            seconds, lines = interrupted(cell.replace("{stamp}", str(time.time_ns())), WAIT.get(name, 2.0))
            print(f"{name:8}  {seconds:5.2f} s  {len(lines)} lines  {lines[:1]}", flush=True)


if __name__ == "__main__":
    main()
