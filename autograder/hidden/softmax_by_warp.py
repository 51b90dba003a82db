"""Hidden cases of softmax by warps: lengths near those of warps and tiles, rows that rise or fall, views, NaN."""

from course.tasks import Case

CASES = [
    Case({"M": 1025, "N": 1}),
    Case({"M": 2, "N": 32}),
    Case({"M": 3, "N": 127}),
    Case({"M": 7, "N": 993}),
    Case({"M": 5, "N": 1024}),
    Case({"M": 2, "N": 70, "SLOPE": 100}),
    Case({"M": 4, "N": 1000, "SLOPE": 100}),
    Case({"M": 4, "N": 70, "LOW": 2_000_000_000}),  # lower than a guessed start value of the maximum
    Case({"M": 5, "N": 41}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
    Case({"M": 65, "N": 1}, values="special"),
]
