"""`fewtaps show`: describes an app, and its limits in the twin."""

from __future__ import annotations

from typing import Any

from fewtaps.cli.terminal import Terminal
from fewtaps.device.backend import Description
from fewtaps.device.registry import DEFAULT_BACKEND
from fewtaps.model.app import App, Component
from fewtaps.model.event import printable
from fewtaps.pipeline.opening import describe_app

LONGEST_LIST = 12


def run_show(apk: str, as_json: bool) -> None:
    description = describe_app(apk)
    terminal = Terminal(as_json)
    terminal.document(to_json(description))
    _print(terminal, description)


def to_json(description: Description) -> dict[str, Any]:
    """The description as one JSON document."""
    app = description.app
    return {
        "package": app.package,
        "label": app.label,
        "version_name": app.version_name,
        "version_code": app.version_code,
        "path": app.path,
        "bytes": description.file_bytes,
        "sha256": app.digest,
        "min_sdk": app.min_sdk,
        "target_sdk": app.target_sdk,
        "max_sdk": app.max_sdk,
        "launcher": app.launcher,
        "application": app.application,
        "activities": [_component_json(each) for each in app.activities],
        "services": [_component_json(each) for each in app.services],
        "receivers": [_component_json(each) for each in app.receivers],
        "providers": [_component_json(each) for each in app.providers],
        "permissions": list(app.permissions),
        "dex_files": list(app.dex_files),
        "classes": description.class_count,
        "native_abis": list(app.native_abis),
        "native_libraries": list(app.native_libraries),
        "split": app.split_name,
        DEFAULT_BACKEND: {
            "runs": description.runs,
            "api": description.api,
            "obstacles": list(description.obstacles),
            "notes": list(description.notes),
        },
    }


def _component_json(component: Component) -> dict[str, Any]:
    return {"name": component.name, "exported": component.exported, "actions": list(component.actions)}


def _print(terminal: Terminal, description: Description) -> None:
    app = description.app
    title = f"{printable(app.label)} ({printable(app.package, 120)})" if app.label else printable(app.package, 120)
    terminal.line((title, "bold"), f"  version {printable(app.version)}")
    rows = (
        [("", description.kind)]
        if not description.is_apk
        else [
            ("file", f"{printable(app.path, 300)}, {size_text(description.file_bytes)}"),
            ("SDK", _sdk(app)),
            ("code", _code(description)),
            ("launcher", printable(app.launcher, 160) if app.launcher else "none: the app has no icon"),
            ("native code", _native(app)),
        ]
    )
    for name, value in rows:
        terminal.line((f"  {name:12}", "dim"), value)
    _list(terminal, "activities", [_component(each, app) for each in app.activities], _component_total(app.activities))
    _list(terminal, "services", [_component(each, app) for each in app.services], _component_total(app.services))
    _list(terminal, "receivers", [_component(each, app) for each in app.receivers], _component_total(app.receivers))
    _list(terminal, "providers", [_component(each, app) for each in app.providers], _component_total(app.providers))
    permissions = [printable(name.removeprefix("android.permission."), 120) for name in app.permissions]
    _list(terminal, "permissions", permissions, str(len(permissions)))
    _verdict(terminal, description)


def _verdict(terminal: Terminal, description: Description) -> None:
    if not description.is_apk:
        return
    terminal.line()
    if description.runs:
        terminal.line(
            (f"The {DEFAULT_BACKEND} can run it", "good"), f", with the Android of API level {description.api}."
        )
        if description.notes:
            terminal.line("Not as on a phone:")
    else:
        terminal.line((f"The {DEFAULT_BACKEND} cannot run it.", "bad"))
    for obstacle in description.obstacles:
        terminal.line("  ", ("✗ ", "bad"), printable(obstacle, 300))
    for note in description.notes:
        terminal.line("  ", ("· ", "warn"), printable(note, 300))


def _list(terminal: Terminal, name: str, entries: list[str], total: str) -> None:
    if not entries:
        return
    terminal.line((f"  {name:12}", "dim"), total)
    for entry in entries[:LONGEST_LIST]:
        terminal.line(" " * 14, entry)
    if len(entries) > LONGEST_LIST:
        terminal.line(" " * 14, (f"… {len(entries) - LONGEST_LIST} more (all with --json)", "dim"))


def _component_total(components: tuple[Component, ...]) -> str:
    exported = sum(component.exported for component in components)
    return f"{len(components)}, {exported} exported" if exported else str(len(components))


def _component(component: Component, app: App) -> str:
    name = component.name
    short = name.removeprefix(app.package) if name.startswith(app.package + ".") else name
    return printable(short, 160)


def _sdk(app: App) -> str:
    highest = f", at most {app.max_sdk}" if app.max_sdk is not None else ""
    return f"at least {app.min_sdk}{highest}, made for {app.target_sdk}"


def _code(description: Description) -> str:
    files = len(description.app.dex_files)
    return f"{description.class_count} classes in {files} DEX {_plural(files, 'file', 'files')}"


def _native(app: App) -> str:
    if not app.native_libraries:
        return "none"
    names = sorted({path.rpartition("/")[2] for path in app.native_libraries})
    shown = ", ".join(printable(name) for name in names[:6]) + (", …" if len(names) > 6 else "")
    return f"{shown} for {', '.join(printable(abi) for abi in app.native_abis)}"


def _plural(count: int, one: str, many: str) -> str:
    return one if count == 1 else many


def size_text(count: int) -> str:
    """The size of a file in words: 12 kB, 3.4 MB."""
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{-(-count // 1000)} kB"
