"""`froude provision compile | evaluate`: inputs → the cheapest cluster, and what a given one reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.cli import answers
from froude.cli.outputs import Output, write
from froude.cli.provision import common
from froude.cli.provision.common import Files, Gap, Limit, Scale
from froude.cli.settings import Settings


def compile_(
    ctx: typer.Context,
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="The plan, as JSON.")] = Path("plan.json"),
    bill_file: Annotated[
        Path | None, typer.Option("--bill", metavar="CSV", help="The bill of materials too.")
    ] = None,
    report: answers.Page = None,
    gap: Gap = 0.01,
    time_limit: Limit = 60.0,
    scale: Scale = 1.0,
) -> None:
    """Inputs → the cheapest cluster that meets the SLA, with a bound on what any could cost.

    Ends with 3 when no cluster meets the SLA, or the gap was not reached.

    Example: froude provision compile photoshare-calibrated --bill bill.csv --report report.html
    """
    from froude.provision.answers import compiling
    from froude.provision.check.bill import bill, bill_csv
    from froude.provision.figures import plan_report
    from froude.provision.inputs.plan_file import plan_document, plan_json
    from froude.provision.search.compile import compile_plan
    from froude.provision.search.split import decided

    settings: Settings = ctx.obj
    bill_place = [] if bill_file is None else [Output(bill_file, "bill")]
    answers.claim(settings, files, output, "cluster", report, others=bill_place)
    problem = common.problem(files, scale)
    with compiling(settings.progress(), common.limits(settings, gap, time_limit)) as limits:
        plan = compile_plan(problem, limits)
    problem = decided(problem, plan)
    wanted = [path for path in (output, bill_file, report) if path is not None]
    if settings.dry_run:
        settings.would("write " + ", ".join(map(str, wanted)), plan=plan_document(plan))
    else:
        how = common.origin(settings, files)
        texts = answers.page_files(plan_report(problem, plan, answers.facts(settings, files)), report, how)
        if bill_file is not None:
            texts[bill_file] = bill_csv(bill(problem, plan))
        text = plan_json(plan, how)
        write({**texts, output: text})
        settings.emit(text)
    settings.out(common.summary(problem, plan))
    common.end(settings, [plan])


def evaluate(
    ctx: typer.Context,
    files: Files,
    cluster: Annotated[
        Path | None,
        typer.Option(
            help="The cluster: a plan, or YAML that names its servers. Without it, the cheapest is compiled."
        ),
    ] = None,
    output: answers.Output = None,
    report: answers.Page = None,
    gap: Gap = 0.01,
    time_limit: Limit = 60.0,
    scale: Scale = 1.0,
) -> None:
    """A cluster → the fraction of the SLA that it meets, its bottleneck, and what each resource has left.

    What is left is known of a plan, which says how the load is spread. A cluster that cannot be built as it is (slots,
    cores, memory, media that may not hold the data) meets nothing. Ends with 3 when it meets less than all.

    Example: froude provision evaluate photoshare-calibrated --cluster plan.json
    """
    from froude.provision.answers import compiling, evaluation
    from froude.provision.search.compile import compile_plan
    from froude.provision.search.split import decided

    settings: Settings = ctx.obj
    read: list[str | Path] = [*files, *([cluster] if cluster is not None else [])]
    answers.claim(settings, read, output, "evaluation", report)
    problem = common.problem(files, scale)
    if cluster is not None:
        problem, plan = common.cluster(problem, cluster)
    else:
        with compiling(settings.progress(), common.limits(settings, gap, time_limit)) as limits:
            plan = compile_plan(problem, limits)
        if not plan.found:
            common.end(settings, [plan])
        problem = decided(problem, plan)
    answer = evaluation(problem, plan)
    for note in answer.content["notes"]:
        settings.note(note)
    common.finish(settings, answer, read, output=output, report=report)
