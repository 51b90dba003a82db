# The script leaves the first process of its sandbox neither memory, files nor processor time.
# answer: 00-candidate
# says: PermissionError
import os
import resource

for change in (
    lambda: resource.prlimit(1, resource.RLIMIT_AS, (1 << 28, 1 << 28)),
    lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)),
    lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1)),
    lambda: os.sched_setaffinity(1, {min(os.sched_getaffinity(1))}),
    lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
    lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
):
    try:
        change()
    except PermissionError as error:
        refused = error
raise refused
