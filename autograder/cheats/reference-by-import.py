# Has the task's own file compute the prediction.
# question: 00-blocks-check
# says: Line 5 of the answer has `from course.tasks.first_kernel_blocks import Model`, and a prediction is your own
# stopped by: own arithmetic
from course.tasks.first_kernel_blocks import Model

blocks = Model().forward()
