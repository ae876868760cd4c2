"""A small YARN job by hand: a client that submits it, an application master, maps, reduces, and NodeManagers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.yarn.protocols import CLIENT, CONTAINERS, HDFS, SCHEDULER, TRACKER
from froude.hadoop.rpc.target import Target
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Awaited,
    CallTemplate,
    Constant,
    Container,
    Counter,
    Effect,
    Flow,
    Generated,
    NodeType,
    Periodic,
    Poll,
    Recorded,
    Rule,
    Side,
    StartRule,
    Template,
    Timing,
    Which,
    Workload,
)
from tests.support.emulation.model_master import SERVICES

_SERVICES = {
    CLIENT: "resourcemanager",
    SCHEDULER: "resourcemanager-scheduler",
    TRACKER: "resourcemanager-tracker",
    HDFS: "namenode",
    CONTAINERS: "nodemanager",
}
STAGING = "/staging"
SETTINGS = PlaySettings({service: Target(service, "model:1", "m") for service in SERVICES}, port=18041)


def call(  # noqa: PLR0917 - the parts of a call
    name: str,
    protocol: str,
    method: str,
    arguments: Mapping[str, Rule] | None = None,
    poll: Poll | None = None,
    awaits: Awaited | None = None,
) -> CallTemplate:
    """A call of the job."""
    timing = Timing(Count(0.01), service=Count(0.005))
    return CallTemplate(
        name, protocol, method, arguments or {}, timing, poll, service=_SERVICES[protocol], awaits=awaits
    )


def asks(*priorities: int) -> dict[str, Rule]:
    """The rules of asks of these priorities, as mined."""
    rules: dict[str, Rule] = {"progress": Constant(0.5), "response_id": Counter(0, {"am.allocate": 1})}
    for priority in priorities:
        for kind, place in (("any", "*"), ("rack", "/default-rack"), ("node1", "host")):
            said = {"priority.priority": priority, "resource_name": place, "capability.memory": 256}
            for path, value in said.items():
                rules[f"ask[{kind}-{priority}].{path}"] = Generated("container-asks", {"value": value})
            rules[f"ask[{kind}-{priority}].num_containers"] = Generated("container-asks", {"first": "maps"})
    return rules


def workload(*, reduces: bool = True) -> Workload:
    """The job: applications as `jobs`, each with `maps` maps, on `nodes` nodes."""
    application = {
        "application_submission_context.application_id.id": Constant(1),
        "application_submission_context.application_id.cluster_timestamp": Flow(
            "client.new", Side.RESPONSE, "application_id.cluster_timestamp"
        ),
        "application_submission_context.am_container_spec.tokens": Generated("bytes", {"length": 38}),
    }
    report: dict[str, Rule] = {
        "application_id.id": Constant(1),
        "application_id.cluster_timestamp": Flow(
            "client.new", Side.RESPONSE, "application_id.cluster_timestamp"
        ),
    }
    client = NodeType(
        "client",
        Count(0, {"jobs": 1}),
        (
            call("client.new", CLIENT, "getNewApplication"),
            call("client.submit", CLIENT, "submitApplication", application),
            call(
                "client.report",
                CLIENT,
                "getApplicationReport",
                report,
                Poll("application_report.yarn_application_state", 5, 0.5),
            ),
        ),
    )
    tasks = ("map", "reduce") if reduces else ("map",)
    start: dict[str, Rule] = {
        "start_container_request[0].container_launch_context.localResources[job.jar].key": Constant("job.jar")
    }
    resource = "start_container_request[0].container_launch_context.localResources[job.jar].value"
    start |= {
        f"{resource}.resource.scheme": Constant("hdfs"),
        f"{resource}.resource.file": Template((f"{STAGING}/", Counter(0, {"node": 1}), "/job.jar")),
        f"{resource}.timestamp": Flow("am.info", Side.RESPONSE, "fs.modification_time"),
        f"{resource}.type": Constant(2),
        f"{resource}.visibility": Constant(3),
        "start_container_request[0].container_token.service": Flow(
            "am.allocate", Side.RESPONSE, "allocated_containers[{each}].nodeId.host", Which.CAUSE
        ),
    }
    master = NodeType(
        "am",
        Count(0, {"jobs": 1}),
        (
            call("am.register", SCHEDULER, "registerApplicationMaster", {"host": Constant("recorded")}),
            # The jar is looked at once the first container is there, whose application it names.
            call(
                "am.info", HDFS, "getFileInfo", {"src": _named("am.allocate", "allocated_containers[0].id")}
            ),
            call(
                "am.commit",
                HDFS,
                "getFileInfo",
                {"src": _named("am.start", "succeeded_requests[0]")},
                awaits=Awaited(tasks, 0.2),
            ),
            call(
                "am.finish",
                SCHEDULER,
                "finishApplicationMaster",
                {"final_application_status": Constant(1)},
                Poll("isUnregistered", True, 0.5),
            ),
        ),
        periodic=(Periodic(call("am.allocate", SCHEDULER, "allocate", asks(20, 10)), 1.0),),
        effects=(
            Effect(
                call("am.start", CONTAINERS, "startContainers", start),
                "am.allocate",
                "am",
                "allocated_containers",
                share=0.9,
            ),
        ),
        start=StartRule("client"),
        container=Container("client", None, 0.5),
    )
    maps = NodeType(
        "map",
        Count(0, {"maps": 1}),
        (call("map.read", HDFS, "getFileInfo", {"src": Template(("/in/", Counter(0, {"node": 1})))}),),
        start=StartRule("am"),
        container=Container("am", 20, 0.2),
    )
    reduce_ = NodeType(
        "reduce",
        Count(0, {"jobs": 1}),
        (call("reduce.write", HDFS, "getFileInfo", {"src": Template(("/out/", Counter(0, {"node": 1})))}),),
        start=StartRule("map"),
        container=Container("am", 10, 0.2, after=0.5),
    )
    node: dict[str, Rule] = {"node_status.node_id.host": Constant("x")}
    gauge = Generated("gauge", {"low": 10, "high": 20})
    managers = NodeType(
        "nm",
        Count(0, {"nodes": 1}),
        (
            call(
                "nm.register",
                TRACKER,
                "registerNodeManager",
                {"resource.memory": Constant(1024), "resource.virtual_cores": Constant(4)},
            ),
        ),
        periodic=(
            Periodic(
                call(
                    "nm.beat", TRACKER, "nodeHeartbeat", {"node_status.node_utilization.pmem": gauge} | node
                ),
                1.0,
            ),
        ),
        program="nodemanager",
    )
    launcher = NodeType(
        "launcher",
        Count(1),
        (call("launcher.start", CONTAINERS, "startContainers"),),
        program="container-launcher",
        start=StartRule("client"),
    )
    types = (managers, client, launcher, master, maps, *((reduce_,) if reduces else ()))
    return Workload(types, Recorded((), ()))


def plan(*, nodes: int = 2, jobs: int = 1, maps: int = 4, reduces: bool = True) -> Plan:
    """The job at a size; maps are those of all jobs together."""
    counts = {"nm": nodes, "client": jobs, "launcher": 1, "am": jobs, "map": maps}
    if reduces:
        counts["reduce"] = jobs
    return Plan(workload(reduces=reduces), Scale.of(nodes=nodes, jobs=jobs, maps=maps), counts)


def applications_alone(*, nodes: int = 2, apps: int = 1, tasks: int = 4) -> Plan:
    """Applications that ask a ResourceManager for containers, and no NameNode for anything.

    Args:
        apps: 0 for NodeManagers alone.
        tasks: of each application.
    """
    alone = workload(reduces=False)
    client, master = alone.node_type("client"), alone.node_type("am")
    submit = client.steps[1]
    assert isinstance(submit, CallTemplate)
    asked = {
        f"application_submission_context.resource.{name}": Constant(value)
        for name, value in (("memory", 512), ("virtual_cores", 1))
    }
    ended = Poll("application_report.yarn_application_state", 6, 0.5)
    report = replace(client.steps[2], poll=ended)
    changed = {
        "client": replace(
            client, steps=(client.steps[0], replace(submit, arguments=submit.arguments | asked), report)
        ),
        "am": replace(master, steps=(master.steps[0], master.steps[-1]), effects=()),
        "map": replace(alone.node_type("map"), steps=()),
    }
    scale = Scale.of(nodes=nodes, jobs=apps, maps=apps * tasks)
    counts = {"nm": nodes, "client": apps, "launcher": min(apps, 1), "am": apps, "map": apps * tasks}
    types = tuple(changed.get(each.name, each) for each in alone.node_types)
    return Plan(replace(alone, node_types=types), scale, counts)


def _named(source: str, path: str) -> Template:
    """A path with the number of an application, from a container's id."""
    number = Flow(source, Side.RESPONSE, f"{path}.app_attempt_id.application_id.id")
    return Template((f"{STAGING}/", number, "/job.jar"))
