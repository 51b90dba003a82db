"""The report about a class of 60 whose mistakes and copies are known (`tests/taught.py`), judged for real.

`python -m tests.benchmarks.taught_class` grades the class, writes the report and the list of similar answers, and says
which mistakes have a row of their own, and which pairs are listed. With `--record`, the verdicts on the wrong answers
are written to `tests/taught.json`, for `tests/grading/test_report_of_class.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from autograder import cli
from autograder.grade import submissions
from autograder.gradebook import Course
from tests import taught

KEPT = ("cause", "diagnosis", "message")  # of a verdict


def main() -> int:
    """Grade the class and report on it. Returns 1 if a mistake or a copy is missing, or if another pair is listed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="taught-class-"))
    print(f"In {folder}", flush=True)
    room = taught.released(folder)
    os.chdir(room.folder)
    start = time.monotonic()
    cli.main(["grade", "--no-sandbox", taught.NAME])
    print(f"Graded in {time.monotonic() - start:.0f} s", flush=True)
    course = Course()
    kept = course.store.newest()
    recorded: dict[str, dict[str, dict]] = {}
    for each in submissions(course, taught.NAME):
        mistake = taught.students()[each.student].mistake
        for name, job in each.jobs.items() if mistake else ():
            judgement = kept[job.answer, job.question]
            if judgement.mistakes and not name.startswith("00-relu"):
                data = asdict(judgement) | {"reason": ""}
                data["verdict"] = {key: judgement.verdict[key] for key in KEPT}
                recorded.setdefault(mistake, {})[name] = data
    if given.record:
        lines = [f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in recorded.items()]
        taught.RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    start = time.monotonic()
    status = (
        cli.main(["report", taught.NAME]) + cli.main(["report"]) + cli.main(["report", taught.NAME, "--projection"])
    )
    print(f"Reported in {time.monotonic() - start:.1f} s", flush=True)
    cli.main(["similar", taught.NAME])
    missing = {each.mistake for each in taught.students().values() if each.mistake} - recorded.keys()
    print(f"Mistakes that no verdict names: {sorted(missing) or 'none'}")
    return 1 if missing or status else 0


if __name__ == "__main__":
    sys.exit(main())
