# Has the task's own file compute the prediction.
# question: 00-blocks-check
# says: Line 5 of the answer has `from course.tasks.predictions import first_kernel_blocks`, and a prediction
# stopped by: own arithmetic
from course.tasks.predictions import first_kernel_blocks

blocks = first_kernel_blocks()
