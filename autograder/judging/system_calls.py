"""The system calls that the processes in a sandbox may make, by kind of process, as filters for seccomp.

Every call that touches nothing but its own process and files is listed, whether the course needs it or not: on another
distribution, the C library or PyTorch may use another one. No call is listed by which one sandbox could signal to
another, read another process, gain rights, or use memory that counts for no process. The numbers come from the
headers of Linux in the package `ziglang`, so one list serves every processor.

A call that is not listed fails with EPERM, and the keeper of the worker's namespace reports it (`fork_server.py`).
"""

import functools
import platform
import re
import struct

from course.device import EMULATED
from course.toolchains.emulator import clang

# The processors, as AUDIT_ARCH_* of linux/audit.h.
_PROCESSORS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# What touches only the process itself and its children: memory, files and descriptors that it has, time, what it may
# know of itself, and signals.
_OWN = """
brk mmap mprotect munmap mremap msync madvise mlock munlock mlock2 remap_file_pages mseal membarrier map_shadow_stack
pkey_mprotect pkey_alloc pkey_free mbind get_mempolicy set_mempolicy set_mempolicy_home_node move_pages
read write readv writev pread64 pwrite64 preadv pwritev lseek open openat openat2 creat close close_range dup dup2
dup3 stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd
chdir fchdir statfs fstatfs getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr getxattrat listxattrat umask
mkdir mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mknod mknodat chmod fchmod
fchmodat fchmodat2 chown fchown lchown fchownat truncate ftruncate fallocate utime utimes futimesat utimensat fsync
fdatasync sync_file_range sendfile splice tee copy_file_range ioctl pipe pipe2 poll ppoll select pselect6 epoll_create
epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4 sendto recvfrom
sendmsg recvmsg getsockname getpeername getsockopt shutdown
time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep times alarm pause getitimer setitimer
timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime
getpid getppid gettid getpgid getpgrp getsid getuid geteuid getgid getegid getresuid getresgid getgroups capget
getrlimit setrlimit getrusage getpriority ioprio_get getcpu uname sysinfo getrandom prctl arch_prctl setsid setpgid
sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr sched_get_priority_max
sched_get_priority_min sched_rr_get_interval landlock_create_ruleset landlock_add_rule landlock_restrict_self
set_tid_address set_robust_list get_robust_list rseq rseq_slice_yield personality restart_syscall exit exit_group
rt_sigaction rt_sigprocmask rt_sigpending rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack kill tkill tgkill
rt_sigqueueinfo rt_tgsigqueueinfo
"""
# Other programs, for Python and compilers.
_PROGRAMS = "fork vfork execve execveat wait4 waitid pidfd_open pidfd_send_signal"
# What the start of CUDA needs. Data that was sent but not yet received is not counted for any process.
_CUDA = "socket setsockopt bind listen connect accept accept4"
# What the server does to isolate a worker, and its keeper to hear of calls that are not listed.
_RIGHTS = "unshare mount setgroups setresuid setresgid capset seccomp socketpair"

# These seem to succeed, and do nothing. Programs lock files of their own, and give advice to the kernel. On files that
# all sandboxes may read, such a call could be noticed in another sandbox.
_IDLE = "flock fadvise64 readahead sync syncfs"
# These seem to be unknown to the kernel, since programs then use another call: the filter cannot read the arguments of
# `clone3` and of the newer futexes, and the others tell which parts of a shared file are in memory.
_ABSENT = """
clone3 futex_waitv futex_wait futex_wake futex_requeue preadv2 pwritev2 mincore cachestat io_uring_setup memfd_secret
"""
# Calls whose first argument is a process. They may not name process 1, the worker's keeper. The keeper has the same
# user as the worker, unless the keeper is root.
_OF_A_PROCESS = "prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr"

_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC and F_GETPIPE_SZ
_LOCKS = (5, 6, 7, 36, 37, 38)  # F_GETLK, F_SETLK and F_SETLKW, and their F_OFD_ forms
_PRIVATE = 128  # FUTEX_PRIVATE_FLAG
_SHARED = (0, 1, 9, 10, 265)  # FUTEX_WAIT, FUTEX_WAKE, their forms with a BITSET, and the wait's with CLOCK_REALTIME
_CLONE_THREAD = 0x00010000
_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _GIVE = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _REPORT, _SUCCEED, _EPERM, _ENOSYS = 0x80000000, 0x7FFF0000, 0x7FC00000, 0x50000, 0x50001, 0x50026
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # places in `seccomp_data` of linux/seccomp.h

Instruction = tuple[int, int, int, int]  # the code, how many instructions to skip if true and if false, the operand


@functools.cache
def numbers() -> dict[str, int]:
    """The number of each system call that Linux has on this processor."""
    header = next(path for folder in clang.headers() if (path := folder / "asm/unistd_64.h").is_file())
    found = re.findall(r"#define __NR_(\w+)\s+(\d+)", header.read_text(encoding="utf-8"))
    return {name: int(number) for name, number in found}


def call_filter(kind: str, toolchain: str = "emulator") -> bytes:
    """The filter for a process that is a "builder", the "server", a "worker" or a "script", as a BPF program.

    Its last instruction says what happens to a call that is not listed. Without a process that listens, ENOSYS is the
    result of _REPORT. That is how it is for the server, whose filter its workers keep: the newer filter then reports.
    """
    programs, cuda, server = kind != "worker", toolchain not in EMULATED, kind == "server"
    listed = [_OWN, _PROGRAMS * programs, _CUDA * cuda, _RIGHTS * server]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _PROCESSORS[platform.machine()]), (_GIVE, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, 0x40000000), (_GIVE, 0, 0, _KILL),  # calls with 32-bit addresses
        (_AT_LEAST, 0, 1, max(numbers().values()) + 1), (_GIVE, 0, 0, _ENOSYS),  # calls newer than the list
    ]  # fmt: skip
    if kind in ("worker", "script"):
        thread = () if programs else ((_ANY_BIT, 1, 0, _CLONE_THREAD), (_GIVE, 0, 0, _EPERM))
        program += _rule("clone", _FIRST, (_ANY_BIT, 0, 1, _NEW_NAMESPACES), (_GIVE, 0, 0, _EPERM), *thread)
        program += _rule("fcntl", _SECOND, *_each(_LOCKS, _SUCCEED), *_each(_FCNTL, _ALLOW), (_GIVE, 0, 0, _EPERM))
        # By a futex, processes that map the same file can wake each other. A wait that ends early is no error.
        private = ((_ANY_BIT, 0, 1, _PRIVATE), (_GIVE, 0, 0, _ALLOW))
        program += _rule("futex", _SECOND, *private, *_each(_SHARED, _SUCCEED), (_GIVE, 0, 0, _ENOSYS))
        for call in _OF_A_PROCESS.split():
            program += _rule(call, _FIRST, (_EQUAL, 0, 1, 1), (_GIVE, 0, 0, _EPERM))
        program += _each(_IDLE, _SUCCEED) + _each(_ABSENT, _ENOSYS)
    else:
        listed += ["clone clone3 fcntl futex preadv2 pwritev2", _OF_A_PROCESS, _IDLE]
    program += _each(" ".join(listed), _ALLOW)
    program += [(_GIVE, 0, 0, _EPERM if kind == "builder" else _REPORT)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _each(values: str | tuple[int, ...], result: int) -> list[Instruction]:
    """Instructions that give `result` for these values, or for the calls of these names that this processor has."""
    if isinstance(values, str):
        values = tuple(numbers()[name] for name in values.split() if name in numbers())
    return [each for value in values for each in ((_EQUAL, 0, 1, value), (_GIVE, 0, 0, result))]


def _rule(name: str, argument: int, *instructions: Instruction) -> list[Instruction]:
    """Instructions that decide about one call by an argument, and allow it if nothing else was given."""
    rule = [(_LOAD, 0, 0, argument), *instructions, (_GIVE, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(rule), numbers()[name]), *rule]
