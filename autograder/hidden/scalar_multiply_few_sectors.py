"""Hidden cases of scalar_multiply_few_sectors: other sizes."""

from course.tasks.scalar_multiply import few_sectors

CASES = [few_sectors(128, 200), few_sectors(1, 30011), few_sectors(251, 67)]
