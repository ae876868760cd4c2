"""What must be known of a block device before it is written to: whether anything at all uses it.

Everything is read from /proc and /sys below a root that tests replace, and from `wipefs`, which knows the
signatures of file systems, RAID and volume managers. The last word has the kernel: the device is opened with
O_EXCL (`target`), which fails while it is mounted in any namespace or held by RAID, LVM, swap or ZFS.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import GuardError, InputError, MissingError

ROOT = Path("/")
_SECTOR = 512
"""Bytes in which the kernel counts a device's size, whatever its own sectors."""
_PROBE_S = 30.0

Signatures = Callable[[Path], list[str]]
"""Names of what is written on a device: `ext4`, `gpt`, `LVM2_member`."""


@dataclass(frozen=True, slots=True)
class Device:
    """A block device as the kernel knows it."""

    path: Path
    """With every symbolic link resolved."""
    number: str
    """`major:minor`."""
    capacity: int
    """Bytes."""


def device_at(path: Path, number: str, *, root: Path = ROOT) -> Device:
    """The device of that number.

    Args:
        number: `major:minor`.
        root: in place of `/`, for tests.

    Raises:
        GuardError: /sys does not know it, so nothing can be checked.
        InputError: it has no size: a drive without a medium, a loop device without a file.
    """
    folder = _folder(number, root)
    text = _line(folder / "size")
    if not text.isdigit():
        raise GuardError("is not known to /sys, so nothing can be checked of it", file=path, found=number)
    if int(text) == 0:
        raise InputError("has no size", file=path, remedy="Insert a medium, or attach a file to it")
    return Device(path, number, int(text) * _SECTOR)


def uses_of(device: Device, *, root: Path = ROOT, signatures: Signatures | None = None) -> list[str]:
    """Every reason not to write to a device; empty when it is whole, idle and blank.

    Args:
        device: what is to be written to.
        root: in place of `/`, for tests.
        signatures: finds what is written on it; `wipefs` unless told otherwise.
    """
    folder = _folder(device.number, root)
    reasons = users_of(device, root=root)
    reasons += ["is itself a partition"] * (folder / "partition").exists()
    reasons += [f"has partition {entry.name}" for entry in _listed(folder) if (entry / "partition").exists()]
    try:
        return reasons + [f"holds {name}" for name in (signatures or written_on)(device.path)]
    except GuardError:
        if not reasons:  # reasons enough, else: what cannot be looked at is not known to be blank
            raise
        return reasons


def users_of(device: Device, *, root: Path = ROOT) -> list[str]:
    """Who uses a device, whatever is written on it; empty when nobody does.

    Args:
        root: in place of `/`, for tests.
    """
    folder = _folder(device.number, root)
    users = [f"mounted on {place}" for place in mounts_of(device, root=root)]
    users += ["used as swap"] * _is_swap(device, root)
    users += [f"held by {entry.name}" for entry in _listed(folder / "holders")]
    users += ["read-only"] * (_line(folder / "ro") == "1")
    return users + [f"open in process {who}" for who in openers(device.path, root=root)]


def mounts_of(device: Device, *, root: Path = ROOT) -> list[str]:
    """Where a device is mounted, by its number and, for file systems that number themselves, by its name.

    Args:
        root: in place of `/`, for tests.
    """
    places = []
    for line in _lines(root / "proc/self/mountinfo"):
        words, _, rest = line.partition(" - ")
        fields, source = words.split(" "), rest.split(" ")[1:2]
        if len(fields) > 4 and (fields[2] == device.number or _names(source, device, root)):
            places.append(_plain(fields[4]))
    return places


def loops_over(path: Path, *, root: Path = ROOT) -> list[str]:
    """Loop devices that lie over a file: whoever writes to them writes to it.

    Args:
        path: of the file, with every symbolic link resolved.
        root: in place of `/`, for tests.
    """
    loops = [entry for entry in _listed(root / "sys/block") if entry.name.startswith("loop")]
    return [f"/dev/{entry.name}" for entry in loops if _line(entry / "loop/backing_file") == str(path)]


def file_system(number: str, *, root: Path = ROOT) -> str:
    """Type of the file system with that device number, such as `ext4`; empty where none is mounted.

    Args:
        number: of the device, as `major:minor`.
        root: in place of `/`, for tests.
    """
    for line in _lines(root / "proc/self/mountinfo"):
        words, _, rest = line.partition(" - ")
        if words.split(" ")[2:3] == [number]:
            return rest.split(" ")[0]
    return ""


def written_on(path: Path) -> list[str]:
    """Signatures on a device, by `wipefs` of util-linux, which writes nothing here.

    Raises:
        MissingError: no wipefs; without it nobody can say that a device is blank.
        GuardError: it cannot read the device.
    """
    program = shutil.which("wipefs") or shutil.which("wipefs", path="/usr/sbin:/sbin")
    if program is None:
        raise MissingError(
            "wipefs is not here, so a blank device cannot be told", remedy="Install util-linux"
        )
    command = [program, "--no-act", "--json", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise GuardError("does not answer", file=path, found=f"no answer in {_PROBE_S:g} s") from error
    if done.returncode != 0:
        raise GuardError("cannot be looked at", file=path, found=done.stderr, remedy="Try again as root")
    try:
        document = json.loads(done.stdout or "{}")
        return sorted({str(signature["type"]) for signature in document.get("signatures", [])})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GuardError("cannot be looked at", file=path, found=done.stdout) from error


def _folder(number: str, root: Path) -> Path:
    return root / "sys/dev/block" / number


def _is_swap(device: Device, root: Path) -> bool:
    return any(_names(line.split()[:1], device, root) for line in _lines(root / "proc/swaps")[1:])


def _names(sources: list[str], device: Device, root: Path) -> bool:
    """Whether the source of a mount or of swap is this device, under whichever of its names."""
    for source in sources:
        path = Path(_plain(source))
        if path.is_absolute():
            resolved = path.resolve()
            number = _line(root / "sys/class/block" / resolved.name / "dev")
            if resolved == device.path or number == device.number:
                return True
    return False


def openers(path: Path, *, root: Path = ROOT) -> Iterator[str]:
    """Other processes that have a file or device open, as far as we may see: a virtual machine's disk is not mounted.

    Args:
        path: of the file, with every symbolic link resolved.
        root: in place of `/`, for tests.

    Yields:
        Number and name of each.
    """
    wanted = str(path)
    for process in _listed(root / "proc"):
        if process.name.isdigit() and int(process.name) != os.getpid():
            # Strings, not paths: there may be hundreds of thousands of them.
            folder = f"{process}/fd"
            with suppress(OSError):
                if any(_leads_to(f"{folder}/{handle}", wanted) for handle in os.listdir(folder)):  # noqa: PTH208
                    yield f"{process.name} ({_line(process / 'comm')})"


def _leads_to(link: str, wanted: str) -> bool:
    try:
        return os.readlink(link) == wanted  # noqa: PTH115 - resolve() would follow it
    except OSError:
        return False


def _plain(text: str) -> str:
    r"""Without the octal escapes of /proc: a space is \040 there."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _lines(path: Path) -> list[str]:
    """Lines of a file of /proc that is always there; what cannot be read must not pass as `nothing uses it`."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except FileNotFoundError:
        if path.name == "swaps":  # a kernel without swap
            return []
        raise GuardError("cannot be read, so nothing can be checked", file=path) from None
    except OSError as error:
        raise GuardError(f"cannot be read ({error.strerror})", file=path) from error


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
