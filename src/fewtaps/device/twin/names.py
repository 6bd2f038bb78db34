"""Hands the names of classes in the sources to the bridge, for an app that a shrunk build renamed."""

from __future__ import annotations

from pathlib import Path

from fewtaps.device.twin.jail import Place
from fewtaps.errors import DeviceUnavailable
from fewtaps.files import lack_of_room, refusal, write_whole
from fewtaps.model.mapping import ObfuscationMap


def hand_in_names(place: Place, names: ObfuscationMap) -> Path:
    """Gives the process a file with a line for each class, and returns its name as the process sees it.

    A line is the name in the build, a tab and the name in the sources; other names than those are left out.
    """
    target = place.host_inbox / f"{names.digest}.names"
    if not target.exists():
        lines = (f"{build}\t{source}\n" for build, source in sorted(names.class_names.items()) if build != source)
        try:
            write_whole(target, "".join(lines).encode("utf-8", "replace"))
        except OSError as error:
            if lack_of_room(error):
                raise refusal(target, error) from error
            raise DeviceUnavailable(f"cannot hand the names to the twin: {error.strerror or error}") from error
    return place.inbox / target.name
