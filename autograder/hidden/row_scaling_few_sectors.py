"""Hidden cases of row_scaling_few_sectors: other sizes."""

from course.tasks.row_scaling_few_sectors import case

CASES = [case(96, 520), case(24, 2048), case(56, 776)]
