"""python -m tests.portable COMMAND …: runs a command as a system that is not Linux would: without /proc, and with
the calls that Linux alone has answered by ENOSYS (a real process and the kernel's own filter, no patched module).

It needs root, or user namespaces. `manage.py test --portable` runs tests in it.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

CLONE_NEWNS = 0x00020000
MS_REC_PRIVATE = 0x4000 | 0x40000
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
PR_SET_PDEATHSIG = 1
PR_GET_PDEATHSIG = 2
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.ENOSYS
# of BPF: a word of the call's data, jump if equal, end
LOAD = 0x20
EQUAL = 0x15
RETURN = 0x06
# places in struct seccomp_data
NUMBER = 0
FIRST_ARGUMENT = 16
CALLS = {  # prctl, fallocate, syncfs
    "x86_64": (157, 285, 306),
    "aarch64": (167, 47, 267),
}


def main() -> None:
    if not sys.argv[1:]:
        sys.exit(__doc__)
    hide_proc()
    refuse_calls()
    os.execvp(sys.argv[1], sys.argv[1:])


def hide_proc() -> None:
    """An empty folder in the place of /proc, for this process and its children."""
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.unshare(CLONE_NEWNS))
    check(libc.mount(None, b"/", None, MS_REC_PRIVATE, None))
    check(libc.mount(b"tmpfs", b"/proc", b"tmpfs", 0, b"size=4k"))


def refuse_calls() -> None:
    """fallocate and syncfs fail, and so does prctl where it is asked for a signal at the parent's
    end."""
    prctl, fallocate, syncfs = CALLS[platform.machine()]
    program = [
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 6, 0, fallocate),
        (EQUAL, 5, 0, syncfs),
        (EQUAL, 0, 3, prctl),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (EQUAL, 2, 0, PR_SET_PDEATHSIG),
        (EQUAL, 1, 0, PR_GET_PDEATHSIG),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
    instructions = ctypes.create_string_buffer(code)
    filter_ = struct.pack("@HP", len(program), ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    check(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_, 0, 0))


def check(failed: int) -> None:
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main()
