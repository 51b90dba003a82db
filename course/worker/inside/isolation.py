"""Namespaces, rights and limits of one worker: what its process gives up before a student's code runs in it.

bubblewrap sets up the file system once, for the server that has imported PyTorch. Each worker that the server forks
then gets its own processes, inter-process communication, network, host name, `/proc` and scratch folder. They end with
the worker, so nothing that one answer changes remains for the next.
"""

import ctypes
import errno
import fcntl
import os
import platform
import resource
import struct
from collections.abc import Mapping
from dataclasses import dataclass

INODES = 10_000  # files and folders in the scratch folder: the kernel's memory for them counts for no process

_LIBC = ctypes.CDLL(None, use_errno=True)

# linux/sched.h, sys/mount.h, linux/prctl.h, linux/seccomp.h, linux/capability.h
_NEW_MOUNTS, _NEW_HOST_NAME, _NEW_IPC, _NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = (
    *(0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000),
)
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 4, 24, 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}  # the number of the system call
_SET_MODE_FILTER, _NEW_LISTENER, _RECEIVE, _SEND = 1, 8, 0xC0502100, 0xC0182101
_CAPABILITIES_VERSION_3, _CAPABILITIES = 0x20080522, 64


@dataclass(frozen=True)
class Isolation:
    """What a worker is confined to, as plain data."""

    builds: str  # the folder with one folder per worker
    modules: str  # the name of this worker's folder, which is all that it sees, in place of `builds`
    scratch: str  # the only writable folder, empty at the start
    scratch_bytes: int
    memory: int  # bytes that all processes of the worker together may use
    limits: Mapping[str, int]  # soft and hard, by the names of `resource`, such as `{"NOFILE": 512}`
    user: int  # the user and group id to change to; 0 changes to user 1000 of a user namespace of its own
    seccomp: str  # the filter of system calls, as the hexadecimal text of its BPF instructions

    def enter(self) -> None:
        """Leave the server's namespaces; the next child is the first process of the new ones. Raises OSError."""
        spaces = _NEW_MOUNTS | _NEW_HOST_NAME | _NEW_IPC | _NEW_PROCESSES | _NEW_NETWORK
        _checked(_LIBC.unshare(spaces), "no namespaces")

    def furnish(self) -> None:
        """In that child: mount what belongs to the new namespaces. Raises OSError."""
        _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
        _mount(f"{self.builds}/{self.modules}", self.builds, None, _MS_BIND)
        size = f"mode=1777,size={self.scratch_bytes},nr_inodes={INODES}"
        _mount("tmpfs", self.scratch, "tmpfs", _MS_NOSUID | _MS_NODEV, size)
        _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
        os.chdir(self.scratch)  # until now the folder of that name was the server's

    def lock(self) -> list[int]:
        """In the worker: give up all rights for good, and set the limits. Raises OSError.

        Returns the file descriptor where calls wait that are not listed (see `refuse_call`). There is none if the
        sandbox runs in a container that has one itself. Such calls then fail without a report.
        """
        if not self.user:
            _new_user(1000)
        for capability in range(_CAPABILITIES):
            _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for capabilities that this kernel does not have
        if self.user:
            os.setgroups([])
            os.setresgid(self.user, self.user, self.user)
            os.setresuid(self.user, self.user, self.user)
        header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION_3, 0)
        _checked(_LIBC.capset(header, (ctypes.c_uint32 * 6)()), "capabilities are kept")
        for name, limit in self.limits.items():
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(kind)[1]  # the machine's limit, which may be lower
            limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (limit, limit))
        _checked(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "new rights could be gained")
        code = bytes.fromhex(self.seccomp)
        listener = _install(code, _NEW_LISTENER)
        if listener < 0:
            _checked(_install(code[:-4] + struct.pack("=I", 0x00050000 | errno.EPERM)), "no filter")
        return [listener] if listener >= 0 else []


def refuse_call(listener: int) -> set[int]:
    """Let the system call that waits at `listener` fail with EPERM. Returns its number, or nothing if it was killed."""
    waiting = bytearray(80)  # `seccomp_notif` of linux/seccomp.h, which begins with an id
    try:
        fcntl.ioctl(listener, _RECEIVE, waiting)
        fcntl.ioctl(listener, _SEND, waiting[:8] + struct.pack("=qiI", 0, -errno.EPERM, 0))
    except OSError:
        return set()
    return set(struct.unpack_from("=i", waiting, 16))


def _install(code: bytes, flags: int = 0) -> int:
    """Install a filter of system calls. Returns a file descriptor or 0, or -1 and sets errno."""
    program = _Program(len(code) // 8, ctypes.cast(ctypes.create_string_buffer(code, len(code)), ctypes.c_void_p))
    return _LIBC.syscall(_SECCOMP[platform.machine()], _SET_MODE_FILTER, flags, ctypes.byref(program))


def set_dumpable(dumpable: bool) -> None:
    """Set whether other processes of the same user may look into this one."""
    _LIBC.prctl(_PR_SET_DUMPABLE, int(dumpable), 0, 0, 0)


class _Program(ctypes.Structure):
    """`sock_fprog` of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _new_user(user: int) -> None:
    """Make a user namespace in which this unprivileged process is `user`; its processes are counted separately."""
    outside = os.getuid(), os.getgid()
    set_dumpable(True)  # otherwise its own files in /proc belong to root
    _checked(_LIBC.unshare(_NEW_USER), "no user namespace")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {outside[0]} 1"),
        ("gid_map", f"{user} {outside[1]} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = (None if text is None else text.encode() for text in (source, target, kind))
    _checked(_LIBC.mount(*texts, flags, None if data is None else data.encode()), f"{target} cannot be mounted")


def _checked(result: int, problem: str) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, f"{problem}: {os.strerror(code)}")
