"""What the tools of one server share: the allowed folders, the settings of devices, and the app that is open."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from fewtaps.agentserver.folders import AllowedFolders
from fewtaps.config import DeviceSettings, default_folder
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.live_app import LiveApp
from fewtaps.pipeline.opening import open_app
from fewtaps.pipeline.slicing import is_project
from fewtaps.stopping import check_stop

_CRASH_ID = re.compile(r"[0-9a-f]{2,12}")


class Workbench:
    """The state of a server. Calls that use the open app must not overlap.

    `keep_log` writes the log of this process to a file and returns its path, None if it cannot.
    """

    def __init__(
        self, folders: AllowedFolders, device: DeviceSettings, keep_log: Callable[[], Path | None] = lambda: None
    ) -> None:
        self.folders = folders
        self.device = device
        self.keep_log = keep_log
        self._stack = ExitStack()
        self._live: LiveApp | None = None

    @property
    def live(self) -> LiveApp:
        """The app that is open. Raises UsageError if there is none."""
        if self._live is None:
            raise UsageError("no app is open: call open_app first")
        return self._live

    def open(self, app: str, world: int, profile: str | None, permissions: str | None) -> LiveApp:
        """Opens an app in the place of the one that is open, and launches it."""
        name = self.folders.app(app)
        settings = replace(
            self.device,
            profile=profile if profile is not None else self.device.profile,
            permissions=permissions if permissions is not None else self.device.permissions,
        )
        check_stop()
        self.close()
        with ExitStack() as stack:
            opened = stack.enter_context(open_app(name, settings))
            check_stop()
            live = LiveApp(opened, opened.choose_world(world))
            self.hold(live, stack)
        return live

    def hold(self, live: LiveApp, stack: ExitStack) -> None:
        """Launches an app and takes it as the one that is open; `stack` is what has to be closed with it."""
        live.restart()
        self._stack, self._live = stack.pop_all(), live

    def close(self) -> None:
        """Closes the app that is open, if there is one."""
        self._live = None
        self._stack.close()

    def project(self, named: str) -> Path:
        """The folder of a project that is there: named itself, or by the app it was made from. Raises UsageError."""
        folder = self.new_project(None, named)
        if not is_project(folder):
            raise UsageError(f"{printable(named, 300)}: no project; the tool run makes one")
        return folder

    def new_project(self, named: str | None, app: str) -> Path:
        """The folder of a project, which need not be there; without a name, the usual one of the app."""
        if named is not None:
            return self.folders.path(named)
        folder = self.folders.path(app) if ":" not in app else None
        if folder is not None and folder.is_dir():
            return folder
        return self.folders.path(default_folder(app).name)

    def steps(self, named: str, project: Path) -> str:
        """The id of a crash of the project, or the path of a trace. Raises UsageError for a path outside."""
        if _CRASH_ID.fullmatch(named) and is_project(project) and not Path(named).exists():
            return named
        return str(self.folders.whole(named))
