"""Hidden cases of softmax: lengths from 1 to 100,000, rows that rise or fall, views, NaN and infinities."""

from course.tasks import Case

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (0, 0), (1025, 1), (2, 32), (3, 127), (3, 2048), (2, 16384), (2, 16388), (2, 99999),
    )),
    Case({"M": 2, "N": 70, "SLOPE": 100}),
    Case({"M": 2, "N": 16390, "SLOPE": 100}),
    Case({"M": 4, "N": 70, "LOW": 2_000_000_000}),  # lower than a guessed start value of the maximum
    Case({"M": 5, "N": 41}, layout="offset"),
    Case({"M": 2, "N": 1024}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
    Case({"M": 9, "N": 128}, values="special"),
    Case({"M": 65, "N": 1}, values="special"),
]  # fmt: skip
