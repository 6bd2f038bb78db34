"""`fewtaps mcp`: the tools for coding agents over standard input and output, until the client leaves."""

from __future__ import annotations

import signal
from pathlib import Path

from fewtaps.cli.logs import current_log
from fewtaps.cli.terminal import Terminal, warn
from fewtaps.config import DeviceSettings
from fewtaps.errors import DeviceUnavailable
from fewtaps.pipeline.exporting import tool_version

HOW_TO_INSTALL = "fewtaps mcp needs the SDK of the Model Context Protocol: pip install 'fewtaps[mcp]'"


def run_mcp(allowed: tuple[Path, ...], settings: DeviceSettings, as_json: bool) -> int:
    """Serves one client; 0 when it leaves, 128 and the signal's number if a signal ends it.

    With `as_json` it only prints the tools. Raises DeviceUnavailable without the SDK.
    """
    if as_json:
        from fewtaps.agentserver.catalogue import TOOLS

        Terminal(as_json).document({"tools": [tool.to_json() for tool in TOOLS.values()]})
        return 0
    try:
        from fewtaps.agentserver.protocol import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise DeviceUnavailable(HOW_TO_INSTALL) from error
    from fewtaps.agentserver.folders import AllowedFolders
    from fewtaps.agentserver.workbench import Workbench

    folders = AllowedFolders(allowed)
    # To the error stream: the standard output is the protocol's.
    warn(f"serving; paths are kept to {', '.join(map(str, folders.folders))}")
    ended_by = serve(Workbench(folders, settings, current_log().details), tool_version())
    return 0 if ended_by is None else 128 + signal.Signals(ended_by)
