"""Hidden cases of histogram_private: other lengths, views, and few values that contend for their counts."""

from course.tasks import Case
from course.tasks.histogram import with_private_budgets

CASES = with_private_budgets(
    [
        Case({"N": 256}),
        Case({"N": 8191}),
        Case({"N": 70_001}),
        Case({"N": 3001, "VALUES": 2}, layout="offset"),
    ],
    3 << 15,
)
