"""Hidden cases of histogram_private: other lengths, views, and few values that contend for their counts."""

from course.tasks import Case
from course.tasks.histogram import with_private_budgets

FEW = Case({"N": 3001, "VALUES": 2}, layout="offset")
CASES = with_private_budgets([FEW, *(Case({"N": length}) for length in (256, 8191, 70_001))], 3 << 15)
