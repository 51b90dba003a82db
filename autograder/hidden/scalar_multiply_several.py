"""Hidden cases of scalar_multiply_several: the cases of scalar_multiply; a thread must have several elements."""

from autograder.hidden import scalar_multiply
from course.tasks import with_budget
from course.tasks.scalar_multiply import ASKS_FOR_SEVERAL, few_threads

CASES = with_budget(scalar_multiply.CASES, few_threads(129, 67), {"M": 129, "N": 67}, asks=ASKS_FOR_SEVERAL)
