"""Stands between Froude and one daemon, so that the daemon never outlives Froude.

Started as `python -I -S _reaper.py PARENT_PID PID_FILE PROGRAM ARG...`; imports nothing of Froude, to start
in some 15 ms. The daemon is this process's child, and this process has one thread, so the kernel's
parent-death signal can be relied on below it (from Froude itself it could not: it fires when the *thread*
that forked dies). Above it, a pidfd tells when Froude is gone, also after kill -9. Exit code: the daemon's.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_POLL_S = 0.2


def main(parent: int, pid_file: str, command: list[str]) -> int:
    """Run the command until it ends or the parent does; then kill its whole process group.

    Args:
        parent: process id of Froude; when it is not this process's parent any more, nothing is run.
        pid_file: where the daemon's process id is written; `-` for nowhere.
        command: the program's path and its arguments.

    Returns:
        The exit code of the command, or 1 when the parent was gone before it started.
    """
    if os.getppid() != parent:
        return 1
    libc = ctypes.CDLL(None, use_errno=True)
    reaper = os.getpid()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != reaper:
            os._exit(1)  # it died before the signal was asked for
        try:
            os.execv(command[0], command)  # noqa: S606 - the daemon itself, without a shell
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
            os._exit(126)
    if pid_file != "-":
        with open(pid_file + ".new", "w") as out:  # noqa: PTH123 - pathlib would double the start-up
            out.write(str(child))
        os.rename(pid_file + ".new", pid_file)  # noqa: PTH104
    if not _child_ends_first(child, parent):
        os.kill(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it started and left running
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) & 0xFF


def _child_ends_first(child: int, parent: int) -> bool:
    """Wait for either to end; by polling where the kernel has no pidfd (before 5.3, and some sandboxes)."""
    try:
        watched, ended = os.pidfd_open(parent), os.pidfd_open(child)
    except ProcessLookupError:
        return False
    except OSError:
        while os.getppid() == parent:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            time.sleep(_POLL_S)
        return False
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    poll.register(ended, select.POLLIN)
    return ended in {fd for fd, _ in poll.poll()}


if __name__ == "__main__":
    for usual in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(usual, signal.SIG_DFL)
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
