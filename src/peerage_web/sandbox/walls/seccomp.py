"""Seccomp: which system calls a process may still make.

A list of what is denied, not of what is allowed: a libc or a library that we have not met may need a call
that we have not thought of, and files are kept by Landlock anyway. Denied calls fail with EPERM; a program
for another processor or another numbering is ended. The numbers of the calls are those of the processors that
we know (Linux, `asm/unistd.h`).
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from itertools import chain

from peerage_web.sandbox.walls.system import MISSING, prctl, syscall

_GET_ACTION = 2  # SECCOMP_GET_ACTION_AVAIL
_SET_FILTER, _FILTER = 22, 2  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # places in struct seccomp_data
_X32 = 0x40000000  # the second numbering of x86-64

_THREAD = 0x00010000  # CLONE_THREAD
_WRITABLE, _SHARED, _ANONYMOUS = 0x2, 0x1, 0x20  # of mmap
_NEW_SPACES = 0x7E020080  # every CLONE_NEW…
# death with the server, dumps, its own memory map, and who may trace it, are decided
_DECIDED = (1, 4, 35, 0x59616D61)

Instruction = bytes
INSTRUCTION = 8  # bytes of one

# What a child has no business with, sorted by what it would reach.
DENIED = (
    # the network, and sockets of any kind
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "recvfrom",
    "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "shutdown",
    # other programs and processes
    "fork", "vfork", "execve", "execveat",
    # the memory, files, signals and pace of other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
    "kcmp", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "tkill", "rt_sigqueueinfo",
    "rt_tgsigqueueinfo", "get_robust_list", "setpriority", "ioprio_set", "sched_setscheduler",
    "sched_setparam", "sched_setattr", "migrate_pages", "move_pages",
    # what is mounted where, and namespaces
    "mount", "umount2", "mount_setattr", "move_mount", "open_tree", "open_tree_attr", "fsopen",
    "fsconfig", "fsmount", "fspick", "pivot_root", "chroot", "unshare", "setns",
    # parts of the kernel with a history
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "keyctl", "add_key", "request_key", "vmsplice", "personality",
    "splice", "tee", "modify_ldt", "iopl", "ioperm", "uselib",
    # what Landlock leaves open: watching folders, links, modes, owners, attributes, times, handles
    "fanotify_init", "fanotify_mark", "inotify_init", "inotify_init1", "inotify_add_watch",
    "name_to_handle_at", "open_by_handle_at", "symlink", "symlinkat", "link", "linkat", "mknod",
    "mknodat", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr",
    "fremovexattr", "removexattrat", "file_setattr", "truncate", "utime", "utimes", "utimensat",
    "futimesat",
    # memory and disk that nobody would count
    "fallocate", "memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "shmdt", "semget",
    "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
    "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    # who one is
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid",
    "setgroups", "capset",
    # the machine
    "init_module", "finit_module", "delete_module", "create_module", "kexec_load",
    "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
    "vhangup", "nfsservctl", "lookup_dcookie",
)  # fmt: skip

_X86_64 = {
    "mmap": 9,
    "shmget": 29, "shmat": 30, "shmctl": 31, "socket": 41, "connect": 42, "accept": 43, "sendto": 44,
    "recvfrom": 45, "sendmsg": 46, "recvmsg": 47, "shutdown": 48, "bind": 49, "listen": 50,
    "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58, "execve": 59, "kill": 62, "semget": 64,
    "semop": 65, "semctl": 66, "shmdt": 67, "msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71,
    "truncate": 76, "link": 86, "symlink": 88, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93,
    "lchown": 94, "ptrace": 101, "syslog": 103, "setuid": 105, "setgid": 106, "setreuid": 113,
    "setregid": 114, "setgroups": 116, "setresuid": 117, "setresgid": 119, "setfsuid": 122,
    "setfsgid": 123, "capset": 126, "rt_sigqueueinfo": 129, "utime": 132, "mknod": 133, "uselib": 134,
    "personality": 135, "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144,
    "vhangup": 153, "modify_ldt": 154, "pivot_root": 155, "prctl": 157, "adjtimex": 159, "chroot": 161,
    "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168,
    "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173,
    "create_module": 174, "init_module": 175, "delete_module": 176, "quotactl": 179, "nfsservctl": 180,
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198,
    "fremovexattr": 199, "tkill": 200, "sched_setaffinity": 203, "lookup_dcookie": 212,
    "semtimedop": 220, "clock_settime": 227, "tgkill": 234, "utimes": 235, "mq_open": 240,
    "mq_unlink": 241, "mq_timedsend": 242, "mq_timedreceive": 243, "mq_notify": 244,
    "mq_getsetattr": 245, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250,
    "ioprio_set": 251, "inotify_init": 253, "inotify_add_watch": 254, "migrate_pages": 256,
    "mknodat": 259, "fchownat": 260, "futimesat": 261, "linkat": 265, "symlinkat": 266, "fchmodat": 268,
    "unshare": 272, "get_robust_list": 274, "splice": 275, "tee": 276, "vmsplice": 278,
    "move_pages": 279, "utimensat": 280,
    "fallocate": 285, "accept4": 288, "inotify_init1": 294, "rt_tgsigqueueinfo": 297,
    "perf_event_open": 298, "recvmmsg": 299, "fanotify_init": 300, "fanotify_mark": 301,
    "prlimit64": 302, "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305,
    "sendmmsg": 307, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "finit_module": 313, "sched_setattr": 314, "seccomp": 317, "memfd_create": 319,
    "kexec_file_load": 320, "bpf": 321, "execveat": 322, "userfaultfd": 323, "pidfd_send_signal": 424,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434,
    "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
    "memfd_secret": 447, "process_mrelease": 448, "fchmodat2": 452, "setxattrat": 463,
    "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip

_AARCH64 = {
    "mmap": 222,
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15,
    "fremovexattr": 16, "lookup_dcookie": 18, "inotify_init1": 26, "inotify_add_watch": 27,
    "ioprio_set": 30, "mknodat": 33, "symlinkat": 36, "linkat": 37, "umount2": 39, "mount": 40,
    "pivot_root": 41, "nfsservctl": 42, "truncate": 45, "fallocate": 47, "chroot": 51, "fchmod": 52,
    "fchmodat": 53, "fchownat": 54, "fchown": 55, "vhangup": 58, "quotactl": 60, "vmsplice": 75,
    "splice": 76, "tee": 77,
    "utimensat": 88, "acct": 89, "capset": 91, "personality": 92, "unshare": 97, "get_robust_list": 100,
    "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116,
    "ptrace": 117, "sched_setparam": 118, "sched_setscheduler": 119, "sched_setaffinity": 122,
    "kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138, "setpriority": 140, "reboot": 142,
    "setregid": 143, "setgid": 144, "setreuid": 145, "setuid": 146, "setresuid": 147, "setresgid": 149,
    "setfsuid": 151, "setfsgid": 152, "setgroups": 159, "sethostname": 161, "setdomainname": 162,
    "prctl": 167, "settimeofday": 170, "adjtimex": 171, "mq_open": 180, "mq_unlink": 181,
    "mq_timedsend": 182, "mq_timedreceive": 183, "mq_notify": 184, "mq_getsetattr": 185, "msgget": 186,
    "msgctl": 187, "msgrcv": 188, "msgsnd": 189, "semget": 190, "semctl": 191, "semtimedop": 192,
    "semop": 193, "shmget": 194, "shmctl": 195, "shmat": 196, "shmdt": 197, "socket": 198,
    "socketpair": 199, "bind": 200, "listen": 201, "accept": 202, "connect": 203, "sendto": 206,
    "recvfrom": 207, "shutdown": 210, "sendmsg": 211, "recvmsg": 212, "add_key": 217,
    "request_key": 218, "keyctl": 219, "clone": 220, "execve": 221, "swapon": 224, "swapoff": 225,
    "migrate_pages": 238, "move_pages": 239, "rt_tgsigqueueinfo": 240, "perf_event_open": 241,
    "accept4": 242, "recvmmsg": 243, "prlimit64": 261, "fanotify_init": 262, "fanotify_mark": 263,
    "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "sendmmsg": 269, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
    "finit_module": 273, "sched_setattr": 274, "seccomp": 277, "memfd_create": 279, "bpf": 280,
    "execveat": 281, "userfaultfd": 282, "kexec_file_load": 294, "pidfd_send_signal": 424,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434,
    "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
    "memfd_secret": 447, "process_mrelease": 448, "fchmodat2": 452, "setxattrat": 463,
    "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip

# by `platform.machine()`: how the kernel calls it (AUDIT_ARCH), and its numbers
PROCESSORS = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _AARCH64),
}


def is_available() -> bool:
    """Whether the kernel takes filters, and we know the numbers of this processor."""
    processor = PROCESSORS.get(platform.machine())
    if processor is None or sys.maxsize < 1 << 32:
        return False
    try:
        syscall(processor[1]["seccomp"], _GET_ACTION, 0, ctypes.byref(ctypes.c_uint32(_ERRNO)))
    except OSError as error:
        if error.errno in MISSING:
            return False
        raise
    return True


def restrict() -> None:
    """From now on, for this thread and all it starts. Needs no-new-privileges."""
    program = b"".join(filter_instructions(platform.machine(), os.getpid()))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // INSTRUCTION, ctypes.addressof(code))
    filter_program = ctypes.create_string_buffer(header, len(header))
    prctl(_SET_FILTER, _FILTER, ctypes.addressof(filter_program))


def filter_instructions(machine: str, pid: int) -> Iterator[Instruction]:
    """The filter for a process with this number, as the kernel reads it."""
    architecture, numbers = PROCESSORS[machine]
    yield _instruction(_LOAD, _ARCHITECTURE)
    yield _instruction(_EQUAL, architecture, 1, 0)
    yield _instruction(_RETURN, _KILL)
    yield _instruction(_LOAD, _NUMBER)
    if machine == "x86_64":
        yield _instruction(_AT_LEAST, _X32, 0, 1)
        yield _instruction(_RETURN, _KILL)
    own, or_self = _first_is([pid]), _first_is([0, pid])
    conditions = {
        "kill": own,
        "tgkill": own,
        "prlimit64": or_self,
        "sched_setaffinity": or_self,
        "clone": [
            _instruction(_LOAD, _FIRST_ARGUMENT),
            _instruction(_ANY_BIT, _NEW_SPACES, 2, 0),
            _instruction(_ANY_BIT, _THREAD, 0, 1),
            _instruction(_RETURN, _ALLOW),
            _deny(),
        ],
        "clone3": [_deny(errno.ENOSYS)],  # its flags are in memory, where a filter cannot look
        "prctl": [*_first_is_none_of(_DECIDED)],
        "mmap": [  # what is written through a shared map of a file, nobody counts
            _instruction(_LOAD, _FIRST_ARGUMENT + 2 * 8),
            _instruction(_ANY_BIT, _WRITABLE, 0, 3),
            _instruction(_LOAD, _FIRST_ARGUMENT + 3 * 8),
            _instruction(_ANY_BIT, _SHARED, 0, 1),
            _instruction(_ANY_BIT, _ANONYMOUS, 0, 1),
            _instruction(_RETURN, _ALLOW),
            _deny(),
        ],
    }
    for name, then in chain(conditions.items(), ((name, [_deny()]) for name in DENIED)):
        if name in numbers:
            yield _instruction(_EQUAL, numbers[name], 0, len(then))
            yield from then
    yield _instruction(_RETURN, _ALLOW)


def _first_is(values: list[int]) -> list[Instruction]:
    tests = [_instruction(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_instruction(_LOAD, _FIRST_ARGUMENT), *tests, _deny(), _instruction(_RETURN, _ALLOW)]


def _first_is_none_of(values: tuple[int, ...]) -> list[Instruction]:
    tests = [_instruction(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_instruction(_LOAD, _FIRST_ARGUMENT), *tests, _instruction(_RETURN, _ALLOW), _deny()]


def _deny(number: int = errno.EPERM) -> Instruction:
    return _instruction(_RETURN, _ERRNO | number)


def _instruction(code: int, value: int, if_so: int = 0, if_not: int = 0) -> Instruction:
    return struct.pack("@HBBI", code, if_so, if_not, value)
