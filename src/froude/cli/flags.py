"""Flags and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WorkloadFile = Annotated[
    Path, typer.Argument(metavar="WORKLOAD", help="The workload's YAML file, or its name here.")
]
TextOutput = Annotated[Path, typer.Option("-o", "--output", help="Where to write.")]
TraceOutput = Annotated[Path, typer.Option("-o", "--output", help="The Trace to make.")]
Scales = Annotated[
    list[str] | None,
    typer.Option("--scale", metavar="NAME=VALUE", help="The scale it was recorded at; repeatable."),
]
SourceId = Annotated[str, typer.Option("--source-id", help="Identity of what was recorded.")]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="WORD", help="A word to find it by; repeatable.")
]
Jars = Annotated[
    str | None,
    typer.Option("--hadoop", help="The release of what was recorded, or a folder of its jars [3.5.0]."),
]
KeepUnknown = Annotated[
    bool, typer.Option("--keep-unknown", help="Keep payloads that no schema knows: may hold secrets.")
]
