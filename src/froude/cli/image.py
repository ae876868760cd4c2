"""`froude image`: what an FsImage holds; namespaces, block lists, logs made up; the heap they need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.units import parse_seconds
from froude.cli import answers
from froude.cli.numbers import finite

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.hadoop.fsimage.container import ImageFile
    from froude.hadoop.fsimage.growth import Growth
    from froude.hadoop.fsimage.namespace import Namespace
    from froude.messages.schema import Schema

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)

_MOST_LINES = 10_000_000

_Image = Annotated[Path, typer.Argument(metavar="IMAGE", help="An FsImage, a folder with one, or its XML.")]
_Hadoop = Annotated[
    str | None, typer.Option(help="A release that knows the image, or a folder of its jars [3.5.0].")
]
_Output = Annotated[
    Path,
    typer.Option(
        "-o", "--output", metavar="IMAGE", help="The image; its MD5 and VERSION are written beside it."
    ),
]
_Codec = Annotated[str, typer.Option(help="Codec of its sections, such as GzipCodec [none].")]
_Layout = Annotated[
    int, typer.Option(min=-67, max=-65, help="Layout version: -67 for Hadoop 3.4 and 3.5, -66 for 3.3.")
]


@app.callback()
def image() -> None:
    """What an FsImage holds; namespaces, block lists, logs made up; the heap they need."""


@app.command(epilog="Example: froude image show fsimage_0000000000000061740 --report image.html")
def show(
    ctx: typer.Context,
    path: _Image,
    hadoop: _Hadoop = None,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """How large a namespace is, what its files are like, where they lie and whose they are."""
    from dataclasses import asdict, replace
    from functools import partial

    from froude.documents.artifact import hash_file
    from froude.experiment.figures.image import image_report
    from froude.hadoop.cluster.name_directory import newest_image
    from froude.hadoop.fsimage.summary import summarise_image
    from froude.render.answer import Answer

    path, kind = newest_image(path), "image-summary"
    settings: Settings = ctx.obj
    answers.claim(settings, [path], output, kind, report)
    with _reading(settings, path, hadoop) as read:
        summary = replace(summarise_image(read.image, read.schema, read.namespace), file=str(path))
    answer = Answer(kind, asdict(summary), partial(image_report, summary))
    inputs = {str(path): hash_file(path)}
    answers.finish(settings, answer, inputs=inputs, output=output, report=report)


@app.command(
    epilog="Example: froude image blocks fsimage_0000000000000061740 --datanodes 100 --racks 5 -o blocks"
)
def blocks(
    ctx: typer.Context,
    path: _Image,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The lists.")],
    datanodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Nodes that the replicas lie on.")],
    racks: Annotated[int, typer.Option(min=1, help="Racks that the nodes stand in.")] = 1,
    storage: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE", help="A storage that every node has [DISK]; repeat for more."),
    ] = None,
    hadoop: _Hadoop = None,
) -> None:
    """Which replicas each emulated DataNode holds, placed as HDFS places them; another --seed places them otherwise."""
    from froude.cli.outputs import Output, claim
    from froude.documents.artifact import hash_file
    from froude.experiment.replay.block_lists import MIGRATIONS, PARTS, write_block_lists
    from froude.hadoop.cluster.name_directory import newest_image
    from froude.hadoop.fsimage.block_lists import Cluster
    from froude.hadoop.fsimage.placement import Topology
    from froude.hadoop.fsimage.sections import Reader
    from froude.hadoop.fsimage.striping import schemes

    path = newest_image(path)
    settings: Settings = ctx.obj
    claim(settings, [Output(output, MIGRATIONS.kind, folder=True, parts=PARTS)], [path])
    if racks > datanodes:
        raise InputError(
            "more racks than nodes", place="--racks", found=racks, allowed=f"at most {datanodes}"
        )
    cluster = Cluster(Topology(datanodes, racks), _storages(storage or ["DISK"]))
    with _reading(settings, path, hadoop) as read:
        if settings.dry_run:
            settings.would(f"write {output}")
            return
        with settings.progress().task("Placing its blocks"):
            origin = settings.origin([hash_file(path)], seeded=True)
            known = schemes(Reader(read.image, read.schema))
            replicas = write_block_lists(
                output, read.namespace, known, cluster, seed=settings.seed, origin=origin
            )
        count = read.namespace.blocks.num_rows
    settings.emit({"blocks": count, "replicas": replicas, "datanodes": datanodes, "racks": racks})
    settings.out(f"{replicas:,} replicas of {count:,} blocks on {datanodes:,} DataNodes written to {output}")


def _storages(types: list[str]) -> tuple[str, ...]:
    from froude.hadoop.fsimage.policies import TYPES

    unknown = [each for each in types if each not in TYPES]
    if unknown:
        raise InputError("no type of storage", place="--storage", found=unknown[0], allowed=TYPES)
    return tuple(types)


@app.command(epilog="Example: froude image synth analytics --inodes 20000 -o fsimage_0000000000000000001")
def synth(
    ctx: typer.Context,
    profile: Annotated[
        Path, typer.Argument(metavar="PROFILE", help="A profile's YAML, or the name of one that is shipped.")
    ],
    output: _Output,
    inodes: Annotated[
        int | None, typer.Option(min=2, help="How many, in place of the profile's number.")
    ] = None,
    codec: _Codec = "",
    layout: _Layout = -67,
    hadoop: _Hadoop = None,
) -> None:
    """A namespace made up from a profile, as an image that a NameNode loads; another --seed makes another."""
    import numpy as np

    from froude.documents.lineage import content_of
    from froude.experiment.replay.namespace_profile import MOST_INODES, profile_path, read_profile, shipped
    from froude.hadoop.fsimage.growth import grow
    from froude.hadoop.fsimage.templates import make_template

    settings: Settings = ctx.obj
    path = profile_path(profile)
    if not path.exists() and len(profile.parts) == 1:
        raise InputError("no such profile", file=profile, allowed=f"a file, or {', '.join(shipped())}")
    saving = _Saving(settings, output, codec, layout, hadoop, [path])
    wanted = read_profile(path)
    if inodes is not None and inodes > MOST_INODES:
        raise InputError("too many", place="--inodes", found=inodes, allowed=f"at most {MOST_INODES}")
    template = make_template(wanted, np.random.default_rng(settings.seed))
    growth = grow(template, (inodes or wanted.inodes) / template.inodes.num_rows)
    saving.write(template, growth, None, content_of(path))


@app.command(
    epilog="Example: froude image scale fsimage_0000000000000061740 --factor 3 -o large/fsimage_0000000000000000001"
)
def scale(
    ctx: typer.Context,
    path: _Image,
    factor: Annotated[float, typer.Option(help="Inodes of the new namespace for each of the image's.")],
    output: _Output,
    codec: _Codec = "",
    layout: _Layout = -67,
    hadoop: _Hadoop = None,
) -> None:
    """A larger or smaller namespace, like that of an image in depth, fan-out, lengths, blocks, owners, replication."""
    from froude.documents.artifact import hash_file
    from froude.experiment.replay.namespace_profile import MOST_INODES
    from froude.hadoop.cluster.name_directory import newest_image
    from froude.hadoop.fsimage.growth import grow
    from froude.hadoop.fsimage.sections import Reader

    path = newest_image(path)
    settings: Settings = ctx.obj
    saving = _Saving(settings, output, codec, layout, hadoop, [path])
    with _reading(settings, path, hadoop) as read:
        if not 2 <= factor * read.namespace.inodes.num_rows <= MOST_INODES:
            allowed = f"so that there are 2 to {MOST_INODES} inodes"
            raise InputError("cannot be", place="--factor", found=factor, allowed=allowed)
        policies = Reader(read.image, read.schema).head("ERASURE_CODING")
        saving.write(read.namespace, grow(read.namespace, factor), policies, hash_file(path))


@app.command(epilog="Example: froude image log fsimage_0000000000000061740 --rate 200 -o made.log")
def log(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="IMAGE", help="An FsImage, or a folder with one.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="LOG", help="The audit log.")],
    rate: Annotated[
        float, typer.Option(min=0.01, max=1e6, callback=finite, help="Lines in a second.")
    ] = 200.0,
    duration: Annotated[str, typer.Option(help="From the first line to the last.")] = "30 s",
    clients: Annotated[int, typer.Option(min=1, max=100_000, help="Users at addresses of their own.")] = 100,
    changes: Annotated[
        float,
        typer.Option(min=0, max=1, callback=finite, help="Share of lines that create, rename or delete."),
    ] = 0.1,
    hadoop: _Hadoop = None,
) -> None:
    """An audit log made up on an image's paths, for a replay: a load for whoever has no log of their own.

    Clients are owners of what they ask for, and most lines read. Another --seed makes another.
    """
    import random

    from froude.cli.outputs import Output, claim, write
    from froude.experiment.replay.made_log import Asked, made_log
    from froude.hadoop.audit.text import line_text
    from froude.hadoop.cluster.name_directory import newest_image

    settings: Settings = ctx.obj
    image_file = newest_image(path)
    # nothing says whether a log that stands there is ours: none is replaced without --force
    claim(settings, [Output(output, "log")], [image_file])
    asked = Asked(rate, parse_seconds(duration, place="--duration"), clients, changes)
    if asked.lines_per_s * asked.duration_s > _MOST_LINES:
        raise InputError("are too many lines", place="--rate", found=rate, allowed=f"{_MOST_LINES:,} in all")
    with _reading(settings, image_file, hadoop) as read:
        lines = [*made_log(read.namespace, asked, random.Random(settings.seed))]
    if settings.dry_run:
        settings.would(f"write {output}", lines=len(lines))
        return
    write({output: "".join(map(line_text, lines))})
    settings.emit({"file": str(output), "lines": len(lines)})
    settings.out(f"{len(lines):,} lines of {clients:,} clients written to {output}")


@app.command(epilog="Example: froude image heap --objects 800M --blocks 1.1")
def heap(
    ctx: typer.Context,
    objects: Annotated[
        str, typer.Option(metavar="NUMBER", help="Files, folders and blocks together, such as 800M.")
    ],
    blocks: Annotated[float, typer.Option(callback=finite, help="Blocks for each file or folder.")] = 1.1,
) -> None:
    """How much heap a NameNode needs for a namespace, by a law that was measured at smaller ones.

    It is what is in use after a full collection, with references of 8 bytes, as in every heap above 32 GB. The interval
    is of the measurement, of the profiles measured, and of hash tables in a heap of up to twice as much: longer names,
    ACLs, extended attributes and snapshots take more. `froude run giants` measures a law here.
    """
    from froude.base.units import parse_count
    from froude.hadoop.fsimage.heap import PUBLISHED, shipped_law

    settings: Settings = ctx.obj
    law = shipped_law()
    need = law.need(parse_count(objects, place="--objects"), blocks)
    base, inode, block = law.coefficients
    gib = [f"{each / (1 << 30):,.4g}" for each in (need.used_bytes, *need.interval_bytes)]
    settings.emit(
        {
            "inodes": need.inodes,
            "blocks": need.blocks,
            "heap_used_bytes": round(need.used_bytes),
            "interval_bytes": [round(each) for each in need.interval_bytes],
            "times_measured": need.times_measured,
            "law": {"base_bytes": base, "inode_bytes": inode, "block_bytes": block, **law.measured},
        }
    )
    settings.out(
        f"{gib[0]} GiB in use after a full collection, 95 % interval {gib[1]} to {gib[2]} GiB: {need.inodes:,} files "
        f"and folders of {inode:.0f} bytes, {need.blocks:,} blocks of {block:.0f} bytes, and hash tables"
    )
    if need.times_measured > 1:
        settings.note(f"note: {need.times_measured:,.1f} times the largest namespace that was measured")
    published = ", ".join(
        f"{each.memory_bytes / 1e9:.0f} GB for {each.objects:,.0f} objects ({each.name}; {each.what})"
        for each in PUBLISHED
    )
    settings.note(
        f"note: measured on Hadoop {law.measured['hadoop']}, {law.measured['date']}, with {law.measured['heap']} of heap"
        ", on namespaces with short names and replication 3, without ACLs and snapshots; real ones take more. "
        f"Published, both more than the law predicts: {published}"
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """An image that was read."""

    image: ImageFile
    schema: Schema
    namespace: Namespace


@contextmanager
def _reading(settings: Settings, path: Path, hadoop: str | None) -> Iterator[_Read]:
    """Read an image, or the XML of one; its columns are there until the block ends.

    Raises:
        InputError: it is neither, or damaged.
    """
    from froude.base.files import check_regular
    from froude.base.scratch import Scratch
    from froude.cli.capture_inputs import schema_of
    from froude.hadoop.fsimage.namespace import read_namespace
    from froude.hadoop.fsimage.oiv import open_any

    check_regular(path)
    schema, _ = schema_of(hadoop, settings)
    with Scratch("image") as scratch:
        with settings.progress().task(f"Reading {path.name}"):
            image = open_any(path, schema, scratch)
            namespace = read_namespace(image, schema, scratch, workers=settings.workers)
        yield _Read(image, schema, namespace)


class _Saving:
    """What both commands that write an image do before and after they know what is in it."""

    def __init__(
        self,
        settings: Settings,
        output: Path,
        codec: str,
        layout: int,
        hadoop: str | None,
        inputs: list[Path],
    ) -> None:
        from froude.base.files import refuse_special
        from froude.cli.capture_inputs import schema_of
        from froude.cli.outputs import Output, claim
        from froude.hadoop.fsimage.codecs import codec_named
        from froude.hadoop.fsimage.saving import beside

        self.settings, self._output, self._layout = settings, output, layout
        self._codec = codec_named(codec)
        refuse_special(output)  # also where it has no name beside which anything could be written
        # nothing says whether an image that stands there is ours: none is replaced without --force
        claim(settings, [Output(place, "image") for place in (output, *beside(output))], inputs)
        self.schema, _ = schema_of(hadoop, settings)

    def write(self, template: Namespace, growth: Growth, policies: object, source: str) -> None:
        """Write the image, unless this is a dry run, and say what is in it."""
        from froude.base.seeds import Seeds
        from froude.hadoop.fsimage.composing import Composer, Identity
        from froude.hadoop.fsimage.saving import save_image, transaction_of

        settings, output = self.settings, self._output
        number = Seeds(settings.seed).child("image", source).value >> 33
        identity = Identity(number, transaction_of(output))
        composer = Composer(template, growth, self.schema, identity, policies)
        if settings.dry_run:
            settings.would(f"write {output}", **composer.counts)
            return
        with settings.progress().task(f"Writing {output.name}"):
            save_image(
                output,
                composer.sections(),
                self.schema,
                namespace_id=number,
                layout=self._layout,
                codec=self._codec,
            )
        counts = composer.counts
        settings.emit(counts)
        settings.out(
            f"{counts['files']:,} files in {counts['directories']:,} folders, {counts['blocks']:,} blocks "
            f"written to {output}"
        )
        if not identity.transaction:
            settings.note("note: a NameNode loads only an image that is named fsimage_ and 19 digits")
