"""QEMU's monitor protocol: each session connects, says its commands and leaves, since a socket takes one client."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from froude.base.errors import MissingError, TargetError

_TIMEOUT_S = 10.0

Commands = Sequence[tuple[str, Mapping[str, Any]]]


def execute(socket: Path, commands: Commands) -> list[Any]:
    """Say commands to a QEMU process, in their order.

    Args:
        commands: to be said; after one that is refused no further one is.

    Returns:
        Their answers.

    Raises:
        MissingError: the library is not installed.
        TargetError: no answer, or a refusal.
    """
    try:
        from qemu.qmp import ExecuteError, QMPClient, QMPError
    except ImportError as error:
        raise MissingError("qemu.qmp is not installed", remedy="pip install 'froude[cache]'") from error

    async def session() -> list[Any]:
        client = QMPClient("froude")
        await client.connect(str(socket))
        try:
            return [await client.execute(name, dict(arguments)) for name, arguments in commands]
        finally:
            await client.disconnect()

    async def bounded() -> list[Any]:
        return await asyncio.wait_for(session(), _TIMEOUT_S)

    try:
        return asyncio.run(bounded())
    except ExecuteError as error:
        raise TargetError("refuses", file=socket, found=str(error)) from error
    except TimeoutError as error:
        raise TargetError(f"does not answer in {_TIMEOUT_S:g} s", file=socket) from error
    except (QMPError, OSError) as error:
        raise TargetError("does not answer as QEMU", file=socket, found=str(error)) from error
