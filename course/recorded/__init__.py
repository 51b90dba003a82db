"""What was measured on an H200, for machines that have no GPU to measure on.

`h200.json` is written by the benchmark, never by hand:
`{"torch", "date", "tasks": {task: Timings}}`, as `course.measure.Timings` has it, times in milliseconds: for each task
what `compare` measured in its notebook.
"""

import json
from pathlib import Path

from course.measure import Summary, Timings

H200 = Path(__file__).with_name("h200.json")
# The MIME type of `{task: Timings}` in a notebook's output, beside the picture.
MIME = "application/vnd.cuda-kernels-course.timings+json"


def read(task: str) -> Timings | None:
    """The times recorded for `task`, or None where there are none."""
    if not H200.exists():
        return None
    entry = json.loads(H200.read_text())["tasks"].get(task)
    return entry and timings(entry)


def timings(entry: dict) -> Timings:
    """What the record of one task says."""
    variants = {name: Summary(v["median_ms"], tuple(v["iqr_ms"])) for name, v in entry["variants"].items()}
    return Timings(**{**entry, "variants": variants})
