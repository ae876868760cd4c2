"""Record a real cluster: a proxy before its daemons for everyone who talks to them, and a Trace in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from froude.base.errors import InputError
from froude.base.parallel import Children
from froude.base.units import Quantity
from froude.documents.store import Workspace
from froude.hadoop.cluster.cluster import Cluster
from froude.hadoop.cluster.launcher import home_environment
from froude.hadoop.cluster.program import run_program
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.rpc.target import target_at
from froude.messages.schema import Schema
from froude.trace.capture.legs import Listener
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.settings import CaptureResult, CaptureSettings
from froude.workload.scale import Scale

Result = TypeVar("Result")


class Recording:
    """A recording that runs: what its block uses to make clients talk through the proxy."""

    def __init__(self, cluster: Cluster | YarnCluster, capture: CaptureProcess, children: Children) -> None:
        """Made by `record`."""
        self.cluster = cluster
        self._capture = capture
        self._children = children

    @property
    def address(self) -> tuple[str, int]:
        """Where clients find the NameNode: the proxy's."""
        return self._capture.addresses[0]

    @property
    def uri(self) -> str:
        """The same as a URI, `hdfs://host:port`."""
        host, port = self.address
        return f"hdfs://{host}:{port}"

    @property
    def trace(self) -> Path:
        """The Trace; there after the block."""
        return self._capture.settings.output

    @property
    def result(self) -> CaptureResult:
        """What came of it.

        Raises:
            ValueError: the block has not ended.
        """
        if self._capture.result is None:
            raise ValueError("the recording has not ended")
        return self._capture.result

    def shell(self, *arguments: str) -> str:
        """Run Hadoop's FsShell through the proxy: `recording.shell("-put", "file", "/in")`.

        Returns:
            What it wrote to standard output.

        Raises:
            TargetError: it failed.
        """
        if isinstance(self.cluster, YarnCluster):
            return self.cluster.shell(*arguments)
        return self.cluster.shell(*arguments, at=self.address)

    def run(self, command: Sequence[str], *, output: Path, timeout_s: float = 1800) -> None:
        """Run a program of yours to its end: `recording.run(["./job.sh", "10"], output=Path("job.out"))`.

        It finds the proxied cluster by `hdfs` and `hadoop` on its PATH (with YARN `yarn` and `mapred`, too), by
        HADOOP_CONF_DIR, or by FS_DEFAULT_NAME. Its standard input is closed.

        Args:
            output: where its standard output and error are written.

        Raises:
            InputError: there is no such program, it failed, it took too long, or `output` is no regular file.
            TargetError: a DataNode does not come up.
        """
        if isinstance(self.cluster, YarnCluster):
            home, hadoop = self.cluster.client_home(), self.cluster.jars.hadoop
        else:
            home, hadoop = self.cluster.client_home(self.address), self.cluster.hadoop
        around = home_environment(hadoop, home, self.uri)
        code = run_program(command, environment=around, output=output, timeout_s=timeout_s)
        if code:
            remedy = f"Its output is {output}" if output.stat().st_size else "It printed nothing"
            raise InputError(f"failed with exit code {code}", file=command[0], remedy=remedy)

    def call(self, f: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
        """Run your own function in this process with the proxied URI as its first argument."""
        return f(self.uri, *arguments, **named)

    def spawn(self, command: Sequence[str], **options: Any) -> Any:
        """Start a client as a child process, a `subprocess.Popen`; the block's end waits for it.

        Args:
            command: program and arguments; `{uri}` in one becomes the proxied URI.
        """
        return self._children.spawn([part.replace("{uri}", self.uri) for part in command], **options)


@contextmanager
def record(  # noqa: PLR0913 - the options of one recording, all by name
    cluster: Cluster | YarnCluster,
    workspace: Workspace,
    *,
    scale: Mapping[str, str | float | Quantity] | None = None,
    tags: Sequence[str] = (),
    name: str | None = None,
    notes: Mapping[str, str] | None = None,
    settle_s: float = 0.0,
    listen: tuple[str, int] | None = None,
    command: str = "",
) -> Iterator[Recording]:
    """Record everything that reaches a cluster's NameNode while the block runs, and with YARN more.

    That is everything that reaches the ResourceManager's RPC servers, and what NodeManagers are asked about containers.
    Nodes start only once the proxy listens for them, so that their registration is in the Trace.

    Args:
        cluster: entered, its nodes not yet started (nothing must have used it before).
        scale: the scale it runs at: `{"datanodes": 3, "input": "10 GB"}`.
        tags: words by which the workspace finds it.
        name: of the Trace; by default the next free number.
        settle_s: how long to go on after the block, so that periodic calls are seen more than once.
        listen: where clients find the proxy; by default a free port of the NameNode's address.
        command: the command line that records, as typed; without one, the lineage names this call.

    Yields:
        The recording; its `trace` is there after the block. When the block raises, the Trace is kept and its
        lineage says that the recording failed.

    Raises:
        TargetError: the cluster does not come up.
        MissingError: the Trace cannot be written; forwarding is not disturbed.
    """
    asked = Scale.from_mapping(scale or {})
    command = command or f"Workspace.record(cluster, scale={{{_words(asked)}}})"
    hdfs = cluster.hdfs if isinstance(cluster, YarnCluster) else cluster
    settings = CaptureSettings(
        _listeners(cluster, listen),
        workspace.new("trace", name),
        dict(asked),
        source_id=hdfs.namenode.cluster_id,
        release=hdfs.hadoop.version,
        notes={**_ids(hdfs), **(notes or {})},
        tags=tuple(tags),
        command=command,
    )
    with CaptureProcess(settings, _schema(cluster)) as capture:
        if isinstance(cluster, YarnCluster):
            cluster.start_nodemanagers(captured=True)
        else:
            cluster.start_datanodes(namenode_at=dict(enumerate(capture.addresses[1:])))
        cluster.wait_live()
        with Children() as children:
            yield Recording(cluster, capture, children)
        capture.settle(settle_s)


def _listeners(cluster: Cluster | YarnCluster, clients: tuple[str, int] | None) -> tuple[Listener, ...]:
    """One for clients, then those for nodes that connect onward from the node's own address.

    Args:
        clients: where clients find the NameNode, if somebody said so.
    """
    if isinstance(cluster, YarnCluster):
        routes = cluster.routes()
        if clients is not None:
            routes.insert(0, replace(routes[0], listen=clients))
        return tuple(
            Listener(*route.listen, source=route.source, target=route.target, behind=route.onward)
            for route in routes
        )
    namenode = target_at("namenode", cluster.namenode.address, cluster.namenode.cluster_id)
    nodes = [Listener(address, source=address, target=namenode) for address in cluster.node_addresses]
    return Listener(*(clients or (cluster.namenode.host, 0)), target=namenode), *nodes


def _schema(cluster: Cluster | YarnCluster) -> Schema:
    """Of all that its daemons and jobs speak."""
    if isinstance(cluster, YarnCluster):
        return cluster.jars.schema()
    return Schema.from_jars(cluster.hadoop.jars)


def _ids(cluster: Cluster) -> dict[str, str]:
    """From which ids on the namespace counts, where it is aged."""
    last = cluster.namenode.last_ids
    return {} if last is None else {"ids given before": str(last)}


def _words(scale: Scale) -> str:
    return ", ".join(f"{name!r}: {str(quantity)!r}" for name, quantity in scale.items())
