"""App: what the APK says of itself, and AppRef, the part of it that a trace remembers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AppRef:
    """Which app a trace belongs to: its package, its version and the SHA-256 of its file."""

    package: str
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """An activity, service, receiver or provider: class name, who may start it, the intents it says it takes."""

    name: str
    exported: bool = False
    actions: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    authorities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """An app as its manifest and its file describe it.

    `launcher` is the activity that a tap on the app's icon starts, None if it has no icon. `native_libraries` are
    paths inside the APK, `dex_files` likewise. An app that is one part of a split APK says so in `split_name`; a base
    that cannot run without its parts has `needs_splits`.
    """

    package: str
    path: str = ""
    version_name: str = ""
    version_code: int = 0
    digest: str = ""
    label: str = ""
    min_sdk: int = 1
    target_sdk: int = 1
    max_sdk: int | None = None
    launcher: str | None = None
    application: str | None = None
    activities: tuple[Component, ...] = ()
    services: tuple[Component, ...] = ()
    receivers: tuple[Component, ...] = ()
    providers: tuple[Component, ...] = ()
    permissions: tuple[str, ...] = ()
    native_abis: tuple[str, ...] = ()
    native_libraries: tuple[str, ...] = ()
    dex_files: tuple[str, ...] = ()
    split_name: str | None = None
    needs_splits: bool = False
    notes: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The version as a person knows it: the name, or else the code."""
        return self.version_name or str(self.version_code)

    @property
    def ref(self) -> AppRef:
        """The part of the app that a trace remembers."""
        return AppRef(self.package, self.version, self.digest)
