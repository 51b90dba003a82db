"""Hidden cases of row_scaling_few_sectors: other sizes."""

from course.tasks.row_scaling import few_sectors

CASES = [few_sectors(96, 520), few_sectors(24, 2048), few_sectors(56, 776)]
