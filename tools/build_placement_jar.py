"""Build the plug-in for HDFS from `java/`: `python tools/build_placement_jar.py`, with a javac of Java 17.

The same sources give the same bytes: classes for Java 8 in the order of their names, not compressed, without times. It
does not matter which Hadoop they are compiled against (3.3.6, 3.4.2 and 3.5.0 give the same classes). The manifest holds
the hash of the sources, so that a jar that was not built anew is found without any compiler.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "java" / "src" / "main" / "java"
JAR = ROOT / "src" / "froude" / "harvest" / "live" / "hdfs" / "placement.jar"
JDK = 17
"""Whose javac it is built with: others may write other bytes for the same sources."""
_TIME = (1980, 1, 1, 0, 0, 0)


def sources_hash(folder: Path = SOURCES) -> str:
    """SHA-256 of the sources, by name.

    Args:
        folder: theirs.
    """
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*.java")):
        total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def javac_major(javac: str) -> int:
    """The number of a compiler's Java.

    Args:
        javac: its command.
    """
    said = subprocess.run([javac, "-version"], capture_output=True, text=True, check=True)
    return int((said.stdout + said.stderr).split()[1].split(".")[0])


def build(javac: str, hadoop_jars: Sequence[Path]) -> bytes:
    """The jar's bytes.

    Args:
        javac: the compiler's command.
        hadoop_jars: of any release from 3.3 on.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            javac,
            "--release",
            "8",
            "-g:source,lines",
            "-Xlint:all,-options",
            "-Werror",
            "-d",
            scratch,
        ]
        paths = [str(path) for path in sorted(SOURCES.rglob("*.java"))]
        subprocess.run([*command, "-cp", ":".join(map(str, hadoop_jars)), *paths], check=True)
        classes = {
            path.relative_to(scratch).as_posix(): path.read_bytes() for path in Path(scratch).rglob("*.class")
        }
    manifest = f"Manifest-Version: 1.0\r\nBuild-Jdk-Spec: {JDK}\r\nSources-SHA256: {sources_hash()}\r\n\r\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as jar:
        for name, data in [("META-INF/MANIFEST.MF", manifest.encode()), *sorted(classes.items())]:
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            jar.writestr(entry, data)
    return out.getvalue()


def main() -> int:
    """Build it and put it in its place."""
    from froude.hadoop.release.distribution import Hadoop

    javac = shutil.which("javac")
    if javac is None or javac_major(javac) != JDK:
        print(f"needs a javac of Java {JDK}", file=sys.stderr)
        return 1
    JAR.write_bytes(build(javac, Hadoop.find().jars))
    print(f"{JAR.relative_to(ROOT)}: {JAR.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
