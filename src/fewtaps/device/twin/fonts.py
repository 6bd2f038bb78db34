"""The fonts of the twin's Android, unpacked once into the cache.

Robolectric's drawing library has 166 MB of fonts in its jar and unpacks all of them at each start of a process, in the
jail into memory. If it finds no fonts on the class path, it uses the folder that a property names. The jar is therefore
split, once, into a folder of fonts that all twins share and a jar with the rest. The rest is unpacked at each start
too, so it is stored without compression.
"""

from __future__ import annotations

import logging
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

from fewtaps.device.twin.jars import JarStore

log = logging.getLogger(__name__)

FOLDER_PROPERTY = "robolectric.nativeruntime.fontdir"
_LIBRARY = "nativeruntime-dist"
_FONTS = "fonts/"
_REST = "rest.jar"
# Part of the folder's name, so that a later version with another layout does not use the files of this one.
_LAYOUT = 1


@dataclass(frozen=True, slots=True)
class Fonts:
    """The folder of fonts, and a class path without fonts. The folder is None if the class path has the fonts."""

    folder: Path | None
    class_path: tuple[Path, ...]


def lay_out(class_path: tuple[Path, ...], store: JarStore) -> Fonts:
    """Splits the jar with the fonts, unless that was done before. If it cannot be split, the jar is used unchanged."""
    library = next((path for path in class_path if _LIBRARY in path.name), None)
    if library is None:
        return Fonts(None, class_path)
    target = store.root / "fonts" / f"{_LAYOUT}-{library.stem}"
    if not target.is_dir():
        try:
            _split(library, target, store)
        except OSError as error:
            log.info("the fonts are unpacked at each start, because they cannot be kept in %s: %s", target, error)
            return Fonts(None, class_path)
    rest = target / _REST
    return Fonts(target / "fonts", tuple(rest if path == library else path for path in class_path))


def _split(library: Path, target: Path, store: JarStore) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with store.private() as private:
        laid = private / "laid"
        (laid / "fonts").mkdir(parents=True)
        with zipfile.ZipFile(library) as whole, zipfile.ZipFile(laid / _REST, "w") as rest:
            for entry in whole.infolist():
                if not entry.filename.startswith(_FONTS):
                    rest.writestr(zipfile.ZipInfo(entry.filename), whole.read(entry))
                elif name := entry.filename.removeprefix(_FONTS):
                    (laid / "fonts" / Path(name).name).write_bytes(whole.read(entry))
        try:
            os.rename(laid, target)
        except OSError:
            # Another process made the folder first.
            if not target.is_dir():
                raise
