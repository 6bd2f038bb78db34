"""The app of a run, opened on the device of a slot and compared with what the other slots saw of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from fewtaps.device.pool import SessionPool
from fewtaps.errors import DeviceUnavailable
from fewtaps.farm.canary import PlayCanary
from fewtaps.farm.files import apk_folder, keep_file
from fewtaps.farm.learner import AskHub
from fewtaps.farm.packing import unpack
from fewtaps.farm.tasks import Opener

TRIES = 3
"""Sessions on which a job is tried by one slot."""


@dataclass(frozen=True, slots=True)
class SlotApp:
    """An app that is open: `plan` is the message it was opened by, `apk` the path of this machine's copy."""

    plan: bytes
    title: str
    apk: str
    pool: SessionPool


def open_app(plan: bytes, device: str, slot: str, ask: AskHub) -> SlotApp:
    """Opens the app of a plan on a device, after fetching its APK; plays the canary.

    Raises FewtapsError if it cannot be opened here, or if the canary is not as on the first slot.
    """
    packed_title, packed_opener = unpack(plan)
    title, digest = unpack(packed_title)
    apk = ""
    if digest:
        apk = str(keep_file(apk_folder("worker"), digest, lambda at: ask("get_apk", digest=digest, offset=at)))
    opener: Opener = unpack(packed_opener, apk)
    pool = SessionPool(opener.on_device(device), size=1, tries=TRIES)
    try:
        seen = pool.ask(PlayCanary())
        wrong = seen and ask("canary", slot=slot, app=hashlib.sha256(plan).hexdigest(), seen=seen)
        if wrong:
            raise DeviceUnavailable(wrong)
    except BaseException:
        pool.close()
        raise
    return SlotApp(plan, title, apk, pool)
