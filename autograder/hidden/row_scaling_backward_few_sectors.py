"""Hidden cases of row_scaling_backward_few_sectors: other sizes."""

from course.tasks.row_scaling_backward import few_sectors_for_both

CASES = [few_sectors_for_both(6, 1528), few_sectors_for_both(3, 4096)]
