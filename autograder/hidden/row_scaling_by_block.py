"""Hidden cases of row_scaling_by_block: the cases of row_scaling, and long rows whose blocks and stores are counted."""

from autograder.hidden import row_scaling
from course.tasks import STORED_ONCE, Case
from course.tasks.row_scaling import BLOCK_PER_ROW

CASES = [*row_scaling.CASES, Case({"M": 5, "N": 5000}, budget={"blocks": 5, **STORED_ONCE}, asks=BLOCK_PER_ROW)]
