"""Hidden cases of tiled_matmul_both_tiles: those of tiled_matmul, two of them judged by their sectors as well."""

from autograder.hidden import tiled_matmul
from course.tasks import with_budget
from course.tasks.tiled_matmul import few_sectors

CASES = tiled_matmul.CASES
for sizes in ({"M": 43, "N": 35, "K": 90}, {"M": 63, "N": 65, "K": 47}):
    CASES = with_budget(CASES, few_sectors(**sizes, tile=16), sizes)
