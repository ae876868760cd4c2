"""The summary of a small image."""

from __future__ import annotations

from froude.hadoop.fsimage.summary import Bin, Folder, ImageSummary, Owner

COUNTS = dict.fromkeys(
    (
        "symlinks",
        "space_bytes",
        "empty_files",
        "open_files",
        "erasure_coded_files",
        "with_acl",
        "with_xattrs",
        "with_quota",
        "only_in_snapshots",
        "snapshots",
        "snapshottable_directories",
    ),
    0,
)


def image_summary(
    files: int = 3, folders: tuple[Folder, ...] = (Folder("/", 0, 4, 3, 8, 24),)
) -> ImageSummary:
    """A small one."""
    bins = (Bin(0, 0, 0, 0), Bin(1, 1, 1, 1), Bin(2, 2, 0, 0), Bin(3, 4, 141_755, 7))
    small = (Bin(0, 0, 0, 0), Bin(0, 1 << 20, 3, 8), Bin(0, -1, files, 8))
    owners = (Owner("alice", 3, 8),)
    counts = {**COUNTS, "files": files, "directories": 1, "blocks": files, "bytes": 8}
    return ImageSummary("i", -67, "", 9, counts, bins, bins[1:], bins, small, folders, owners, owners)
