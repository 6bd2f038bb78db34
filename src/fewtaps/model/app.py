"""App: the content of an APK's manifest, and AppRef, the fields of it that are stored with a trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AppRef:
    """The app of a trace: its package, its version and the SHA-256 of its file."""

    package: str
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """An activity, service, receiver or provider: class name, whether other apps may start it, its intent filters."""

    name: str
    exported: bool = False
    actions: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    authorities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """An app as its manifest and its file describe it.

    `launcher` is the activity that a tap on the app's icon starts, None if it has no icon. `native_libraries` and
    `dex_files` are paths inside the APK. `split_name` is set for one part of a split APK. `large_heap` says that it
    asks for more memory than other apps. `origin` is the digest of the APK of which this one is an instrumented copy,
    on a device where both have the same probes.
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
    large_heap: bool = False
    notes: tuple[str, ...] = ()
    origin: str = ""

    @property
    def version(self) -> str:
        """The version name, or the version code where the app has no name."""
        return self.version_name or str(self.version_code)

    @property
    def ref(self) -> AppRef:
        """The fields that are stored with a trace: those of the original of an instrumented copy."""
        return AppRef(self.package, self.version, self.origin or self.digest)
