"""`make bench-builds`: from an edited cell to a loaded module, with each toolchain that works here, in one run."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time

from course import build
from course.device import gpu, gxx
from tests.benchmarks.kernels import source

EDITS = 9


def seconds(text: str, toolchain: str) -> float:
    """Wall-clock seconds of one build, to the loaded module."""
    start = time.perf_counter()
    build.load_inline("edited", cuda_sources=text, functions=build.bindable_functions(text), toolchain=toolchain)
    return time.perf_counter() - start


def main() -> int:
    """Print cold, edited and unchanged builds. Edits change a constant in the kernel, as a learner would."""
    text = source("01-row-scaling", "01-element")
    medians: dict[str, float] = {}
    print(f"{gpu().name if gpu() else 'no GPU'}, {os.cpu_count()} cores, g++ {gxx().version}")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["COURSE_CACHE"] = cache
        for name, toolchain in build.TOOLCHAINS.items():
            if missing := toolchain.missing():
                print(f"{name:9} not here: {missing}")
                continue
            cold = seconds(text, name)
            edits = 1 if name == "torch" else EDITS
            edited = [seconds(text.replace("A[e / N]", f"{n + 2}.0f * A[e / N]"), name) for n in range(edits)]
            unchanged = seconds(text, name)
            medians[name] = statistics.median(edited)
            spread = f"{min(edited):.2f} to {max(edited):.2f}"
            print(f"{name:9} cold {cold:6.2f} s, edited {medians[name]:6.2f} s ({spread}), unchanged {unchanged:.3f} s")
    for name, median in medians.items():
        if name != "torch" and "torch" in medians:
            print(f"{name} is {medians['torch'] / median:.0f} times as fast as torch after an edit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
