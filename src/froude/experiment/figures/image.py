"""The page of an image: how large the namespace is, what its files are like, where they lie and whose they are."""

from __future__ import annotations

from collections.abc import Sequence

from froude.base.units import size_text
from froude.hadoop.fsimage.summary import Bin, Folder, ImageSummary, Owner
from froude.render import (
    Axis,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Tone,
    Value,
    ValueKind,
)
from froude.render.format import size

_MOST_ROWS = 25


def image_report(summary: ImageSummary, facts: dict[str, str]) -> Report:
    """A page of an image."""
    counts = summary.counts
    lede = (
        f"**{counts['files']:,} files** in {counts['directories']:,} folders, {size(counts['bytes'])} in "
        f"{counts['blocks']:,} blocks"
    )
    if counts["files"]:
        below = summary.small[-1].count / counts["files"]
        lede += f"; {below:.0%} of the files are shorter than one block of theirs"
    figures = (
        KeyFigure("files", counts["files"], ValueKind.NUMBER),
        KeyFigure("folders", counts["directories"], ValueKind.NUMBER),
        KeyFigure("blocks", counts["blocks"], ValueKind.NUMBER),
        KeyFigure("bytes", counts["bytes"], ValueKind.BYTES, note="each counted once"),
        KeyFigure("on disks", counts["space_bytes"], ValueKind.BYTES, note="with replicas and parity"),
    )
    sections = (
        Section("Its folders", (_folders(summary.folders),)),
        Section("Its files", (_sizes(summary.sizes), _small(summary), _blocks(summary.blocks))),
        Section("Its depth", (_depths(summary.depths),)),
        Section("Whose it is", (_owners("User", summary.users), _owners("Group", summary.groups))),
        Section("What else is in it", (_rare(summary),)),
    )
    about = {
        "Image": summary.file,
        "Last transaction": str(summary.transaction),
        "Layout": str(summary.layout_version),
        "Compressed by": summary.codec or "nothing",
    }
    return Report("A namespace", "", f"{lede}.", Tone.NEUTRAL, figures, sections, {**about, **facts})


def _folders(folders: Sequence[Folder]) -> Table:
    return (
        TableOf[Folder]()
        .code("Folder", lambda each: each.path)
        .number("Depth", lambda each: each.depth)
        .number("Inodes", lambda each: each.inodes)
        .number("Files", lambda each: each.files)
        .size("Bytes", lambda each: each.bytes)
        .size("On disks", lambda each: each.space)
        .of(
            folders[:_MOST_ROWS],
            "Folders with the most space below them",
            note="A folder counts all that lies below it.",
        )
    )


def _sizes(bins: Sequence[Bin]) -> Chart:
    axes, shown = (Axis("length of a file", ValueKind.TEXT), Axis("files", unit="files")), _shown(bins)
    labels = ["0" if each.high == 0 else f"up to {size_text(each.high)}" for each in shown]
    return _bars("Files by their length", axes, labels, shown)


def _blocks(bins: Sequence[Bin]) -> Chart:
    axes, shown = (Axis("blocks of a file", ValueKind.TEXT), Axis("files", unit="files")), _shown(bins)
    labels = [
        f"{each.low:,}" if each.low == each.high else f"{each.low:,} to {each.high:,}" for each in shown
    ]
    return _bars("Files by their blocks", axes, labels, shown)


def _depths(bins: Sequence[Bin]) -> Chart:
    axes = Axis("folders above", ValueKind.TEXT), Axis("files and folders", unit="inodes")
    return _bars("How deep they lie", axes, [str(each.low) for each in bins], bins)


def _bars(title: str, axes: tuple[Axis, Axis], labels: list[str], bins: Sequence[Bin]) -> Chart:
    series = Series(axes[1].unit, labels, [float(each.count) for each in bins])
    return Chart(title, *axes, (series,), ChartKind.BARS)


def _small(summary: ImageSummary) -> Table:
    files = summary.counts["files"]
    return (
        TableOf[Bin]()
        .words("Files of", _limit)
        .number("Files", lambda each: each.count)
        .share("Share", lambda each: each.count / files if files else None)
        .size("Bytes", lambda each: each.bytes)
        .of(
            summary.small,
            "Small files",
            note="Every file costs the NameNode an inode and a block, however short it is.",
        )
    )


def _limit(each: Bin) -> str:
    if each.high < 0:
        return "less than one block"
    return "no length" if each.high == 0 else f"up to {size_text(each.high)}"


def _owners(title: str, owners: Sequence[Owner]) -> Table:
    return (
        TableOf[Owner]()
        .code(title, lambda each: each.name)
        .number("Files", lambda each: each.files)
        .size("Bytes", lambda each: each.bytes)
        .of(owners[:_MOST_ROWS], f"{title}s, by the bytes of their files")
    )


def _rare(summary: ImageSummary) -> Table:
    words = {
        "empty_files": "files without a block",
        "open_files": "files that were being written",
        "erasure_coded_files": "erasure-coded files",
        "symlinks": "symbolic links",
        "with_acl": "inodes with an ACL",
        "with_xattrs": "inodes with extended attributes",
        "with_quota": "folders with a quota",
        "snapshottable_directories": "folders that may have snapshots",
        "snapshots": "snapshots",
        "only_in_snapshots": "inodes that only snapshots hold",
    }
    rows: list[tuple[Value, ...]] = [(text, summary.counts[name]) for name, text in words.items()]
    return Table((Column("What"), Column("How many", ValueKind.NUMBER)), rows, "What else is in it")


def _shown(bins: Sequence[Bin]) -> Sequence[Bin]:
    """Without the empty ones at the beginning; those between stay, so that the bars keep their distance."""
    first = next((number for number, each in enumerate(bins) if each.count), 0)
    return bins[first:]
