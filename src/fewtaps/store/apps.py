"""Reads and writes apps, with the contents of their manifests, and the maps of their probes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from fewtaps.errors import NotFound
from fewtaps.model.app import App, AppRef, Component
from fewtaps.model.coverage import ProbeMap
from fewtaps.model.record import as_list, as_number, as_object, as_text, as_truth
from fewtaps.store.connection import Database
from fewtaps.store.content import from_column, from_json, packed, to_column, to_json


class Apps:
    """Writes and reads the tables of apps and of their probe maps."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def id_of(self, app: AppRef) -> int:
        """The number of the app's row. Without one, inserts a row with NULL as content. Needs an open transaction."""
        found = self._database.row(
            "SELECT app_id FROM app WHERE package = ? AND version = ? AND digest = ?", _columns(app)
        )
        if found is not None:
            return int(found[0])
        return self._database.run("INSERT INTO app (package, version, digest) VALUES (?, ?, ?)", _columns(app))

    def save(self, app: App) -> int:
        """Writes the app, manifest included, and gives the number of its row."""
        app_id = self.id_of(app.ref)
        content = packed(to_json(asdict(app)))
        self._database.run("UPDATE app SET content = ? WHERE app_id = ?", (content, app_id))
        return app_id

    def load(self, ref: AppRef) -> App:
        """The app with its manifest. Raises `NotFound` if there is no row, or one without a manifest."""
        row = self._database.row(
            "SELECT app_id, content FROM app WHERE package = ? AND version = ? AND digest = ?", _columns(ref)
        )
        if row is None or row[1] is None:
            raise NotFound(f"{self._database.path}: nothing is known of {ref.package} {ref.version}")
        with self._database.reading(f"app {row[0]}"):
            return _app_from_json(from_json(row[1]))

    def save_probe_map(self, app: AppRef, scope: str, probes: ProbeMap) -> None:
        """Writes what the probe numbers of an app mean; replaces an earlier map of the same scope."""
        content = packed(to_json(probes.to_json()))
        with self._database.transaction():
            self._database.run(
                "INSERT OR REPLACE INTO probe_map (app_id, scope, content) VALUES (?, ?, ?)",
                (self.id_of(app), to_column(scope), content),
            )

    def load_probe_map(self, app: AppRef, scope: str) -> ProbeMap | None:
        """What the probe numbers of an app mean; None if no map is stored."""
        row = self._database.row(
            "SELECT app_id, probe_map.content FROM probe_map JOIN app USING (app_id)"
            " WHERE package = ? AND version = ? AND digest = ? AND scope = ?",
            (*_columns(app), to_column(scope)),
        )
        if row is None:
            return None
        with self._database.reading(f"the probe map of app {row[0]}"):
            return ProbeMap.from_json(from_json(row[1]))


def ref_of(package: object, version: object, digest: object) -> AppRef:
    """The app that three columns name. Raises ValueError if one of them is no text."""
    return AppRef(from_column(package), from_column(version), from_column(digest))


def _columns(app: AppRef) -> tuple[str, str, str]:
    return to_column(app.package), to_column(app.version), to_column(app.digest)


def _app_from_json(record: object) -> App:
    data = as_object("app", record)
    known = {field.name for field in fields(App)}
    # Another version of fewtaps may have written further fields; they are left out.
    return App(**{name: _app_field(name, value) for name, value in data.items() if name in known})


def _app_field(name: str, value: object) -> Any:
    if name in ("activities", "services", "receivers", "providers"):
        return tuple(_component(as_object(name, item)) for item in as_list(name, value))
    if name in ("version_code", "min_sdk", "target_sdk"):
        return as_number(name, value)
    if name == "large_heap":
        return as_truth(name, value)
    if name in ("permissions", "native_abis", "native_libraries", "dex_files", "notes"):
        return _texts(name, value)
    if name == "large_heap":
        return as_truth(name, value)
    if value is None:
        return None
    return as_number(name, value) if name == "max_sdk" else as_text(name, value)


def _component(data: Mapping[str, Any]) -> Component:
    return Component(
        name=as_text("name", data.get("name")),
        exported=as_truth("exported", data.get("exported")),
        actions=_texts("actions", data.get("actions")),
        categories=_texts("categories", data.get("categories")),
        authorities=_texts("authorities", data.get("authorities")),
    )


def _texts(name: str, value: object) -> tuple[str, ...]:
    return tuple(as_text(name, item) for item in as_list(name, value))
