"""The packages of other tools that clients install on a served device, and the agents that answer in their place.

No code of such a package is run: the device keeps what its manifest says, and answers what its agent would answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from fewtaps.adbd.channel import Channel, Service
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.adbd.phone import ServedPhone

APPIUM, APPIUM_TEST = "io.appium.uiautomator2.server", "io.appium.uiautomator2.server.test"
APPIUM_SETTINGS = "io.appium.settings"
MAESTRO, MAESTRO_TEST = "dev.mobile.maestro", "dev.mobile.maestro.test"
RUNNER = "androidx.test.runner.AndroidJUnitRunner"
TARGETS = {APPIUM_TEST: APPIUM, MAESTRO_TEST: MAESTRO}
"""The packages with an instrumentation, and the package that each of them instruments."""
KNOWN = frozenset((APPIUM, APPIUM_TEST, APPIUM_SETTINGS, MAESTRO, MAESTRO_TEST))
"""The packages that may be installed beside the served app."""
FIRST_GUEST_PID = 6001

OpenAgent: TypeAlias = Callable[[Channel, "ServedPhone"], Service]
"""Opens a connection to an agent."""


@dataclass(frozen=True, slots=True)
class SentPackage:
    """A package that a client has sent: the digest of its file, and the file itself unless it is too large."""

    digest: str
    content: bytes = b""


@dataclass(slots=True, eq=False)
class RunningAgent:
    """An agent that was started: its process, and how a connection to its port is opened."""

    process: str
    open: OpenAgent
    is_stopped: bool = False


@dataclass(slots=True, eq=False)
class Guests:
    """What of other tools is installed, what of it was started, and which agents listen on which port."""

    packages: dict[str, App] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)
    agents: dict[int, RunningAgent] = field(default_factory=dict)
    sent: SentPackage | None = None
    """What was sent and is not installed yet."""

    def install(self, app: App) -> bool:
        """Keeps a package of a tool; False if it is none that this device answers for."""
        if app.package not in KNOWN:
            return False
        self.packages[app.package] = app
        return True

    def uninstall(self, package: str) -> bool:
        """Forgets a package; False if it is not installed."""
        self.stop(package)
        return self.packages.pop(package, None) is not None

    def stop(self, package: str) -> None:
        """Ends the processes of a package."""
        self.started.discard(package)
        for port, agent in list(self.agents.items()):
            if agent.process in (package, TARGETS.get(package)):
                agent.is_stopped = True
                del self.agents[port]

    def processes(self) -> Iterator[tuple[int, str]]:
        """The numbers and names of the processes that clients may look for."""
        names = sorted({agent.process for agent in self.agents.values()} | self.started)
        yield from enumerate(names, FIRST_GUEST_PID)
