"""Hidden cases of softmax: lengths from 1 to 100,000, rows that rise or fall, views, NaN and infinities."""

from course.tasks import Case, cases

CASES = [
    *cases("M N", (0, 0), (1025, 1), (2, 32), (3, 127), (3, 2048), (2, 16384), (2, 16388), (2, 99999)),
    *cases("M N SLOPE", (2, 70, 100), (2, 16390, 100)),
    Case({"M": 4, "N": 70, "LOW": 2_000_000_000}),  # lower than a guessed start value of the maximum
    *cases("M N", (5, 41), (2, 1024), layout="offset"),
    *cases("M N", (29, 23), (9, 128), (65, 1), values="special"),
]
