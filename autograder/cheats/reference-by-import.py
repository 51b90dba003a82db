# Has the task's own file compute the prediction.
# question: 00-blocks-check
# wins: each student has the tasks, which compute their predictions: the number can be read there as well
from course.tasks.first_kernel_blocks import Model

blocks = Model().forward()
