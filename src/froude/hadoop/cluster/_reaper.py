"""Stands between Froude and one daemon, so that the daemon never outlives Froude.

Started as `python -I -S _reaper.py PARENT_PID PID_FILE PROGRAM ARG...`; imports nothing of Froude, to start
in some 15 ms. The daemon is this process's child, and this process has one thread, so the kernel's
parent-death signal can be relied on below it (from Froude itself it could not: it fires when the *thread*
that forked dies). Above it, a pidfd tells when Froude is gone, also after kill -9. Exit code: the daemon's.

With `--descendants` before the rest, what the daemon has started falls with it, too, whatever session it made for
itself: a NodeManager's containers are such. The kernel gives orphans below this process to this process then.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_DESCENDANTS = "--descendants"
_POLL_S = 0.2


def main(parent: int, pid_file: str, command: list[str], *, descendants: bool = False) -> int:
    """Run the command until it ends or the parent does; then kill its whole process group.

    Args:
        parent: process id of Froude; when it is not this process's parent any more, nothing is run.
        pid_file: where the daemon's process id is written; `-` for nowhere.
        descendants: whether all that it has started is killed as well, in whatever group.

    Returns:
        The exit code of the command, or 1 when the parent was gone before it started.
    """
    if os.getppid() != parent:
        return 1
    libc = ctypes.CDLL(None, use_errno=True)
    if descendants:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
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
    if descendants:
        _end_orphans(reaper)
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


def _end_orphans(reaper: int) -> None:
    """Kill what the daemon's death has made this process's child, and what that makes its child, to the end."""
    with contextlib.suppress(ChildProcessError):
        while True:
            for orphan in _children(reaper):
                os.kill(orphan, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children(parent: int) -> list[int]:
    """Process ids of a process's children, those that have ended and were not waited for among them."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - pathlib would double the start-up
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123
            after_name = stat.read().rpartition(b")")[2].split()
            if int(after_name[1]) == parent:
                found.append(int(name))
    return found


if __name__ == "__main__":
    for usual in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(usual, signal.SIG_DFL)
    everything = sys.argv[1] == _DESCENDANTS
    words = sys.argv[1 + everything :]
    sys.exit(main(int(words[0]), words[1], words[2:], descendants=everything))
