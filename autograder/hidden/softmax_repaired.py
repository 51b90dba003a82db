"""Hidden cases of softmax_repaired: other rows, rows that rise or fall, NaN, and the budget for longer rows."""

from course.tasks import Case
from course.tasks.softmax import few_requests

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in ((0, 32), (1025, 32), (2, 3104), (2, 99968))),
    Case({"M": 2, "N": 96, "SLOPE": 100}),
    Case({"M": 2, "N": 16416, "SLOPE": 100}),
    Case({"M": 4, "N": 96, "LOW": 2_000_000_000}),  # lower than a guessed start value of the maximum
    Case({"M": 2, "N": 2080, "MASKED": 2079}),
    Case({"M": 9, "N": 128}, values="special"),
    few_requests(1, 40960),
]
