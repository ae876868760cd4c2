"""A command of the user's as a job: run at several small scales on real clusters, each recorded.

What the command line's `froude record` does; the demo's job goes the same way (`main_job.record_job`).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from froude.base.errors import FroudeError, InputError
from froude.base.files import create_file, kind_of_place, refuse_special, refuse_taken
from froude.base.progress import Progress
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.base.units import Quantity
from froude.documents.artifact import State
from froude.documents.store import Workspace
from froude.documents.store import check_name as check_artifact_name
from froude.experiment.main_job import Recorded, record_job
from froude.experiment.record.record import Recording
from froude.experiment.record.variation import Variation, variation
from froude.experiment.scenario.run_lists import DATANODES, NODES
from froude.hadoop.cluster.faults import Fault
from froude.hadoop.release.distribution import Hadoop
from froude.trace.files import read_meta
from froude.trace.partial import partial_path
from froude.workload.scale import Scale

OUTPUT_SUFFIX = ".out"
"""Of the file beside a Trace that holds what the command printed."""
NOTE = "job"
"""Under which a Trace notes the command that was recorded."""
_PLACEHOLDER = re.compile(r"\{\{(?P<kept>[A-Za-z_]\w*)\}\}|(?<![$\\])\{(?P<name>[A-Za-z_]\w*)\}")
"""`{files}`; and `{{print}}` for braces that stay. A shell's `${HOME}` is neither."""
_TWO_DIGITS = 12
_CHECK = re.compile(r"(?:check|control|held-?out|test|validat\w*)(?:[-_.]?\d+)?", re.IGNORECASE)
_PLAIN = re.compile(r"[\w@%+=:,./-]+|[\w@%+=:./{}-]+")
"""Words that a shell takes as they are; it would expand `{a,b}`."""


class RecordOptions(TypedDict, total=False):
    """How the clusters are started, and what the lineages say."""

    replication: int
    """Copies of each block; 2 by default."""
    settle_s: float | None
    """How long the recording goes on after the command; None for the default of HDFS or YARN."""
    fast: bool
    """Quick start-up of the daemons instead of full speed; yes by default."""
    properties: Mapping[str, str]
    """Further properties of daemons and clients; none by default."""
    faults: Sequence[Fault]
    """What happens to nodes while the command runs; nothing by default."""
    command: str
    """What the Traces were made by."""


@dataclass(frozen=True, slots=True)
class OwnJob:
    """A command with placeholders, `./job.sh {files}`."""

    words: tuple[str, ...]
    """Program and arguments; `{files}` in one becomes that variable of the Scale."""
    timeout_s: float = 1800.0

    @property
    def name(self) -> str:
        """The program's name: a word by which the workspace finds its Traces."""
        return Path(self.words[0]).stem or self.words[0]

    def at(self, scale: Mapping[str, Quantity]) -> list[str]:
        """Program and arguments at a Scale; quantities in bytes or seconds, as plain numbers."""
        texts = {name: _number(quantity) for name, quantity in scale.items()}
        return [
            _PLACEHOLDER.sub(lambda m: f"{{{m['kept']}}}" if m["kept"] else texts.get(m["name"], m[0]), word)
            for word in self.words
        ]

    @property
    def placeholders(self) -> set[str]:
        """The names in braces that a Scale's variables take the place of."""
        return {
            match["name"] for word in self.words for match in _PLACEHOLDER.finditer(word) if match["name"]
        }

    def check(self, scale: Mapping[str, Quantity]) -> None:
        """Refuse a command that names a variable which no run has: it would see the braces.

        Raises:
            InputError: with the name, and how braces are kept.
        """
        for name in sorted(self.placeholders - set(scale)):
            allowed = ", ".join(f"{{{each}}}" for each in scale)
            remedy = f"Give --scale {name}=…, or write {{{{{name}}}}} for braces that shall stay"
            raise InputError(
                "is no variable of these runs",
                place="the command",
                found=f"{{{name}}}",
                allowed=allowed,
                remedy=remedy,
            )

    def unused(self, scale: Mapping[str, Quantity]) -> list[str]:
        """Variables that no placeholder names, the numbers of nodes excepted."""
        return [name for name in scale if name not in self.placeholders and name not in NODES]

    def run(self, recording: Recording, scale: Scale, scratch: Path) -> None:
        """Do the job once.

        Raises:
            InputError: the command failed or took too long.
        """
        del scratch
        recording.run(self.at(scale), output=output_of(recording.trace), timeout_s=self.timeout_s)


def is_check(name: str) -> bool:
    """Whether a Trace was named as one that a workload is held against, and which is not mined: `check`, `test-2`."""
    return _CHECK.fullmatch(name) is not None


def output_of(trace: Path) -> Path:
    """Where what the command printed is kept, beside its Trace."""
    return trace.with_name(f"{trace.name}{OUTPUT_SUFFIX}")


def failed_output(workspace: Workspace) -> Path:
    """Where what a command printed is kept that failed; there is no Trace of it."""
    return _failed_in(workspace.place("trace"))


def claim_places(folder: Path, name: str | None, runs: int) -> list[str | None]:
    """Make sure that runs can be kept; nothing is made.

    Args:
        folder: where the Traces go; it may not be there yet.
        name: of the Trace; with several runs, each has its number after it. None for the next free numbers.

    Returns:
        The name of each run's Trace.

    Raises:
        InputError: no name for a Trace, a place that is taken, or something else than a file where the output of a
            command that fails is kept.
    """
    failed = _failed_in(folder)
    refuse_special(failed)
    if name is None:
        return [None] * runs
    names = [name] if runs == 1 else [f"{name}-{number}" for number in range(1, runs + 1)]
    for each in names:
        check_artifact_name(each, "trace")
        trace = folder / each
        if failed in (trace, output_of(trace)):
            raise InputError("is where what a command printed is kept that failed", file=failed, found=each)
        for place in (trace, partial_path(trace), output_of(trace)):
            refuse_taken(place)
    return [*names]


def _failed_in(folder: Path) -> Path:
    return folder / f"failed{OUTPUT_SUFFIX}"


def command_line(words: Sequence[str]) -> str:
    """The words as a shell reads them again; braces stay as they are, for it leaves `{files}` alone."""
    return " ".join(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words)


def typed(job: OwnJob, scales: Sequence[Mapping[str, Quantity]], flags: Sequence[str] = ()) -> str:
    """The command line that records a job at some Scales of the same variables."""
    values = {name: [str(scale[name]).replace(" ", "") for scale in scales] for name in scales[0]}
    lists = {name: ",".join(each if len(set(each)) > 1 else each[:1]) for name, each in values.items()}
    words = [word for name in NODES if name in lists for word in (f"--{name}", lists.pop(name))]
    words += [word for name, each in lists.items() for word in ("--scale", f"{name}={each}")]
    return f"froude record {command_line([*words, *flags])} -- {command_line(job.words)}"


def variation_lines(
    job: OwnJob, runs: Sequence[Mapping[str, Quantity]], flags: Sequence[str] = ()
) -> list[str]:
    """What the recordings of a job cannot tell apart, in words, and the command of the next small run.

    Args:
        runs: the Scale of each.
    """
    varied = variation(runs)
    lines = [
        f"{name} was {runs[-1][name]} in every run: nothing can be said of it at another value"
        for name in varied.constant
    ]
    lines += [
        f"{first} and {second} rose together: what follows one cannot be told from what follows the other"
        for first, second in varied.together
    ]
    if varied.free:
        several = [name for name in runs[-1] if name not in varied.constant]
        lines.append(
            f"{', '.join(several)} varied in {counted(len(set(map(str, runs))), 'run')} that tell "
            f"{len(several) - varied.free} of them apart: what follows several at once can be read in more than one way"
        )
    if varied.next_run is not None:
        more = (
            "One more small run separates them:"
            if varied.free < 2
            else f"The next of {varied.free} small runs that do:"
        )
        lines += [more, f"  {typed(job, [varied.next_run], flags)}"]
    for name in _one_digit(runs, varied):
        larger = {**min(runs, key=lambda run: run[DATANODES]), name: Quantity(_TWO_DIGITS)}
        lines += [
            f"{name} stayed below 10: names in the order of text (part-10 before part-2) look like numbers there",
            f"  {typed(job, [larger], flags)}",
        ]
    return lines


def _one_digit(runs: Sequence[Mapping[str, Quantity]], varied: Variation) -> list[str]:
    """Variables that varied, and of which no run shows how names are ordered whose numbers have two digits."""
    names = [name for name in runs[-1] if name not in (*varied.constant, *NODES)] if len(runs) > 1 else []
    values = {name: [run[name] for run in runs if name in run] for name in names}
    return [name for name, each in values.items() if all(not q.unit and q.value < 10 for q in each)]


def recorded_before(workspace: Workspace, job: OwnJob) -> dict[str, Mapping[str, Quantity]]:
    """The workspace's whole Traces of this command, oldest first: the Scale of each by its name."""
    metas = {
        artifact.name: read_meta(artifact.path).meta
        for artifact in workspace.artifacts("trace", job.name)
        if artifact.lineage.state is State.COMPLETE
    }
    line = command_line(job.words)
    return {name: meta.scale for name, meta in metas.items() if meta.notes.get(NOTE) == line}


def record_runs(
    job: OwnJob,
    scales: Sequence[Scale],
    workspace: Workspace,
    hadoop: Hadoop,
    *,
    progress: Progress,
    name: str | None = None,
    seed: int | None = 0,
    notes: Mapping[str, str] | None = None,
    **options: Unpack[RecordOptions],
) -> Iterator[Recorded]:
    """Record a command at several Scales, each on a cluster of its own; gives each run as it is done.

    Args:
        workspace: where the Traces go, each with what the command printed beside it.
        name: of the Trace; with several, each has its number after it. By default the next free numbers.
        seed: root of the random numbers by which the ids of each namespace are moved on; None for fresh namespaces.
        notes: free facts to keep in each Trace.

    Raises:
        InputError: a name or its output's place is taken, the command names a variable that is not there, or it
            failed or took too long. Nothing is kept of that run but what the command printed, in `failed.out`; the
            runs before it are kept whole.
        TargetError: a daemon failed.
    """
    for scale in scales:
        job.check(scale)
    facts = {**(notes or {}), NOTE: command_line(job.words)}
    names = claim_places(workspace.place("trace"), name, len(scales))  # before anything is started
    failed_output(workspace).unlink(missing_ok=True)
    for number, (scale, own) in enumerate(zip(scales, names, strict=True), 1):
        trace = workspace.new("trace", own)
        with create_file(output_of(trace)):
            pass  # ours from now on, for nobody's file is taken for it
        try:
            with progress.task(f"record {number} of {len(scales)}: {scale}") as task:
                recorded = record_job(
                    job,
                    scale,
                    workspace,
                    hadoop,
                    task=task,
                    aged=False if seed is None else Seeds(seed).child("record", trace.name).value,
                    name=trace.name,
                    notes=facts,
                    **options,
                )
        except BaseException as error:
            for place in (trace, partial_path(trace)):
                workspace.discard(place)
            _keep_output(output_of(trace), failed_output(workspace), error)
            raise
        yield recorded


def _keep_output(output: Path, failed: Path, error: BaseException) -> None:
    """Put what a command printed where it is kept without a Trace, and let its error name that place.

    Args:
        output: where it was printed; removed where it is empty.
        failed: where it is kept, unless something else than a file has come there meanwhile.
    """
    if kind_of_place(output) != "a file":
        return
    if not output.stat().st_size:
        output.unlink()
    elif kind_of_place(failed) in {None, "a file"}:
        output.replace(failed)
        if isinstance(error, FroudeError) and error.remedy:
            error.remedy = error.remedy.replace(str(output), str(failed))


def _number(quantity: Quantity) -> str:
    value = quantity.value
    return str(int(value)) if value == int(value) else repr(value)
