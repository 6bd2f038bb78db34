"""The system calls that a bridge process may make, as a program for the kernel's seccomp filter.

A Java runtime needs the calls of `_ALLOWED`. Calls of `_FORBIDDEN` serve only to get out of a jail or to attack the
kernel, so they end the process with SIGSYS, which is told as such. Every other call fails with ENOSYS, as on a kernel
that lacks it, because C libraries try newer calls first and fall back.

Calls with conditions: `clone` may make threads, not processes. `socket` may make stream and datagram sockets of the
families UNIX, IPv4 and IPv6: no raw, packet or netlink sockets, and no other protocols than TCP and UDP, for which the
kernel may load a module. `setsockopt` says that it has set the size of a buffer and leaves it as it is, because no
limit of a process counts buffers; it takes no programs that filter packets. `clone3` passes its flags in memory, which
a filter cannot read, so it fails with ENOSYS and C libraries use `clone`. `mmap` gives no memory that the limit on the
private memory of a process does not count: no anonymous shared memory, no stacks that grow, no huge pages. `fcntl` and
`ioctl` do what a C library and Java ask for: no leases on files, no signals to other owners, no larger pipes, no
terminals, no flags of a file system. `chmod` and its kin make no file setuid, setgid or sticky.

Not allowed although programs use them: `flock`, which locks files that can only be read, such as the libraries of the
machine; `sendmsg`, by which descriptors can be sent that no limit of a process counts.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# x86-64 and aarch64 numbers, from the kernel's tables; None where the machine has no such call.
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "futex": (202, 98),
    "read": (0, 63),
    "write": (1, 64),
    "lseek": (8, 62),
    "mprotect": (10, 226),
    "gettid": (186, 178),
    "sysinfo": (99, 179),
    "munmap": (11, 215),
    "madvise": (28, 233),
    "brk": (12, 214),
    "mremap": (25, 216),
    "mincore": (27, 232),
    "msync": (26, 227),
    "membarrier": (324, 283),
    "close": (3, 57),
    "close_range": (436, 436),
    "open": (2, None),
    "openat": (257, 56),
    "creat": (85, None),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "umask": (95, 166),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fadvise64": (221, 223),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "eventfd2": (290, 19),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create1": (291, 20),
    "epoll_create": (213, None),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "getsockopt": (55, 209),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrandom": (318, 278),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_setaffinity": (203, 122),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "getpriority": (140, 141),
    "setpriority": (141, 140),
    "getcpu": (309, 168),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "prlimit64": (302, 261),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "prctl": (157, 167),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "capget": (125, 90),
    "uname": (63, 160),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "rt_sigpending": (127, 136),
    "rt_sigqueueinfo": (129, 138),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # The filter is loaded before the Java runtime is started, so this one call has to pass. It cannot make a second
    # process, because `fork` and its kin are refused.
    "execve": (59, 221),
}
_FORBIDDEN: dict[str, tuple[int | None, int | None]] = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "quotactl": (179, 60),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "execveat": (322, 281),
    "memfd_secret": (447, 447),
    "fork": (57, None),
    "vfork": (58, None),
}
_SOCKET = {"socket": (41, 198), "socketpair": (53, 199)}
_CLONE = (56, 220)
_MMAP = (9, 222)
_SETSOCKOPT = (54, 208)
_FCNTL, _IOCTL = (72, 25), (16, 29)
# With the argument that holds the mode.
_CHMOD: tuple[tuple[tuple[int | None, int | None], int], ...] = (((90, None), 1), ((91, 52), 1), ((268, 53), 2))
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOMEM, _ENOTTY, _ENOSYS, _EPROTONOSUPPORT, _EAFNOSUPPORT = 1, 12, 25, 38, 93, 97
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
# Offsets in the kernel's `struct seccomp_data`: the number, the machine, then six arguments of eight bytes each. Both
# machines store the low half of an argument first.
_NUMBER, _MACHINE = 0, 4
_ARGUMENTS = _FIRST, _SECOND, _THIRD, _FOURTH = 16, 24, 32, 40
_CLONE_THREAD = 0x00010000
# Every flag of `clone` that makes a new namespace.
_CLONE_NAMESPACES = 0x7E020080
# Flags of `mmap`: shared, and the same with validated flags; anonymous; growing downwards, huge pages.
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_UNCOUNTED = 0x01, 0x20, 0x0100 | 0x40000
# Options of the level SOL_SOCKET that set the size of a buffer, for sending and receiving, with and without privileges,
# and those that attach a program (SO_ATTACH_FILTER, SO_ATTACH_BPF and the two of SO_ATTACH_REUSEPORT).
_SOCKET_LEVEL = 1
_BUFFER_OPTIONS = (7, 8, 32, 33)
_PROGRAM_OPTIONS = (26, 50, 51, 52)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, the three of F_OFD, F_DUPFD_CLOEXEC,
# F_GETPIPE_SZ.
_FCNTL_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
# TCGETS, TCGETS2 and TIOCGWINSZ, by which a C library asks whether a file is a terminal; FIONREAD, FIONBIO, FIONCLEX,
# FIOCLEX; what tells of network interfaces (SIOCGIFNAME, CONF, FLAGS, ADDR, BRDADDR, NETMASK, MTU, HWADDR, INDEX).
_IOCTL_REQUESTS = (
    *(0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451),
    *(0x8910, 0x8912, 0x8913, 0x8915, 0x8919, 0x891B, 0x8921, 0x8927, 0x8933),
)
# S_ISUID, S_ISGID, S_ISVTX.
_SPECIAL_MODES = 0o7000
_FAMILIES = (1, 2, 10)
# None named, TCP, UDP.
_PROTOCOLS = (0, 6, 17)
_TYPES = (1, 2)
_TYPE_MASK = 0xF
_X32 = 0x40000000


@dataclass(frozen=True, slots=True)
class _Line:
    """One instruction: `yes` and `no` are how many instructions a comparison skips."""

    code: int
    value: int
    yes: int = 0
    no: int = 0

    def packed(self) -> bytes:
        return struct.pack("<HBBI", self.code, self.yes, self.no, self.value)


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter for `bubblewrap --seccomp`; None for a machine whose calls are not known here."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    column, audit = known
    lines = [_Line(_LOAD, _MACHINE), _Line(_EQUAL, audit, yes=1), _Line(_RETURN, _KILL), _Line(_LOAD, _NUMBER)]
    if column == 0:
        # The second table of calls that the same kernel has for 32-bit pointers.
        lines += [_Line(_AT_LEAST, _X32, no=1), _Line(_RETURN, _KILL)]
    lines += _if_number(_MMAP[column], _mmap_rule())
    lines += _answers(_ALLOWED, column, _ALLOW)
    lines += _answers(_FORBIDDEN, column, _KILL)
    lines += _if_number(_CLONE[column], _clone_rule())
    lines += _if_number(_SETSOCKOPT[column], _option_rule())
    for numbers in _SOCKET.values():
        lines += _if_number(numbers[column], _socket_rule())
    lines += _if_number(_FCNTL[column], _one_of(_SECOND, _FCNTL_COMMANDS, _EPERM))
    lines += _if_number(_IOCTL[column], _one_of(_SECOND, _IOCTL_REQUESTS, _ENOTTY))
    for both, position in _CHMOD:
        number = both[column]
        if number is not None:
            lines += _if_number(number, _mode_rule(_ARGUMENTS[position]))
    lines.append(_Line(_RETURN, _ERRNO | _ENOSYS))
    return b"".join(line.packed() for line in lines)


def _answers(calls: dict[str, tuple[int | None, int | None]], column: int, answer: int) -> Iterable[_Line]:
    for numbers in calls.values():
        number = numbers[column]
        if number is not None:
            yield from _if_number(number, [_Line(_RETURN, answer)])


def _if_number(number: int, rule: list[_Line]) -> list[_Line]:
    return [_Line(_EQUAL, number, no=len(rule)), *rule]


def _clone_rule() -> list[_Line]:
    return [
        _Line(_LOAD, _FIRST),
        _Line(_ANY_BIT, _CLONE_NAMESPACES, no=1),
        _Line(_RETURN, _KILL),
        _Line(_ANY_BIT, _CLONE_THREAD, yes=1),
        _Line(_RETURN, _ERRNO | _EPERM),
        _Line(_RETURN, _ALLOW),
    ]


def _mmap_rule() -> list[_Line]:
    return [
        _Line(_LOAD, _FOURTH),
        _Line(_ANY_BIT, _MAP_UNCOUNTED, yes=2),
        # Only shared memory without a file is refused: private memory is counted, and files are on disks with a size.
        _Line(_ANY_BIT, _MAP_SHARED, no=2),
        _Line(_ANY_BIT, _MAP_ANONYMOUS, no=1),
        _Line(_RETURN, _ERRNO | _ENOMEM),
        _Line(_RETURN, _ALLOW),
    ]


def _one_of(argument: int, values: Sequence[int], error: int) -> list[_Line]:
    """Allows the call if the argument is one of the values; else it fails with this error."""
    compared = [_Line(_EQUAL, value, yes=len(values) - place) for place, value in enumerate(values)]
    return [_Line(_LOAD, argument), *compared, _Line(_RETURN, _ERRNO | error), _Line(_RETURN, _ALLOW)]


def _mode_rule(argument: int) -> list[_Line]:
    return [
        _Line(_LOAD, argument),
        _Line(_ANY_BIT, _SPECIAL_MODES, no=1),
        _Line(_RETURN, _ERRNO | _EPERM),
        _Line(_RETURN, _ALLOW),
    ]


def _option_rule() -> list[_Line]:
    programs, buffers = len(_PROGRAM_OPTIONS), len(_BUFFER_OPTIONS)
    # The last three lines are the answers: allowed, as if it had been made (error number 0), refused.
    answers = [_Line(_RETURN, _ALLOW), _Line(_RETURN, _ERRNO), _Line(_RETURN, _ERRNO | _EPERM)]
    options = [_Line(_EQUAL, option, yes=programs + buffers - place) for place, option in enumerate(_BUFFER_OPTIONS)]
    options += [_Line(_EQUAL, option, yes=programs - place + 1) for place, option in enumerate(_PROGRAM_OPTIONS)]
    level = [_Line(_LOAD, _SECOND), _Line(_EQUAL, _SOCKET_LEVEL, no=len(options) + 1), _Line(_LOAD, _THIRD)]
    return [*level, *options, *answers]


def _socket_rule() -> list[_Line]:
    refused, allowed = [_Line(_RETURN, _ERRNO | _EPERM)], _one_of(_THIRD, _PROTOCOLS, _EPROTONOSUPPORT)
    kinds = [_Line(_LOAD, _SECOND), _Line(_AND, _TYPE_MASK)]
    for position, kind in enumerate(_TYPES):
        kinds.append(_Line(_EQUAL, kind, yes=len(_TYPES) - position))
    families = [_Line(_LOAD, _FIRST)]
    for position, family in enumerate(_FAMILIES):
        families.append(_Line(_EQUAL, family, yes=len(_FAMILIES) - position))
    return [*families, _Line(_RETURN, _ERRNO | _EAFNOSUPPORT), *kinds, *refused, *allowed]
