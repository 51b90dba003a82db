"""Reads every long text of tests/text/test_conditions.py, also left out by `#if 0`, beside honest code of its length.

Prints each text that takes six times as long as honest code, and ends with status 1 if there is one. It takes minutes.

    python -m tests.benchmarks.long_texts
"""

from __future__ import annotations

import sys

from tests.text.test_conditions import KERNEL, LENGTH, WORST, is_slow


def main() -> int:
    halves = {name: text[: LENGTH // 2] for name, text in WORST.items()}
    left_out = {f"{name}, left out": f"#if 0\n{text}\n#endif\n{KERNEL}{text}" for name, text in halves.items()}
    texts = {**WORST, **left_out}
    slow = []
    for number, (name, text) in enumerate(texts.items(), 1):
        print(f"\r{number} of {len(texts)}", end="", file=sys.stderr, flush=True)
        slow += [name] * is_slow(text)
    print(f"\n{len(texts) - len(slow)} of {len(texts)} are read soon", *slow, sep="\n")
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
