"""A furnished phone has people, appointments, pictures and files that apps can query, open and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.conftest import OpenSample
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.event import StartIntent

pytestmark = pytest.mark.jvm

Ask = Callable[..., list[str]]

CONTACTS = "content://com.android.contacts"
IMAGES = "content://media/external/images/media"


def asked(player: Player, **extras: str) -> list[str]:
    component = f"{player.session.app.package}/.ContentActivity"
    return player.do(StartIntent(component=component, extras=tuple(sorted(extras.items())))).said


@pytest.fixture(scope="module")
def ask(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[Ask]:
    """Asks a furnished phone, in one run for all tests."""
    with twin.open(sample("lab")) as session:
        player = Player(session)
        yield lambda **extras: asked(player, **extras)


def test_people_are_sorted_and_some_lack_a_name_a_number_or_a_photo(ask: Ask) -> None:
    rows = ask(
        uri=f"{CONTACTS}/contacts",
        columns="_id,display_name,has_phone_number,photo_uri",
        order="display_name COLLATE LOCALIZED ASC",
    )
    assert rows[:3] == ["10 rows", "8|null|0|null", "7|+1 555-0107|1|null"]
    assert "2|Bob Plain|1|null" in rows
    assert f"1|Anna Example|1|{CONTACTS}/contacts/1/display_photo" in rows
    assert rows.index("2|Bob Plain|1|null") < rows.index("3|Zoë Ångström-Łukaszewicz|1|null")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ({"uri": f"{CONTACTS}/data/phones", "columns": "data1", "selection": "contact_id=?", "argument": "1"},
         ["2 rows", "+1 555-0101", "(555) 010-1101"]),
        ({"uri": f"{CONTACTS}/data", "columns": "data1",
          "selection": "mimetype IN ('vnd.android.cursor.item/contact_event') AND (data2=3 OR 0)"},
         ["3 rows", "1990-12-10", "--02-29", "12 May"]),
        ({"uri": f"{CONTACTS}/phone_lookup/5550101", "columns": "display_name"}, ["1 rows", "Anna Example"]),
        ({"uri": f"{CONTACTS}/contacts/2", "columns": "display_name,unknown"}, ["1 rows", "Bob Plain|null"]),
        ({"uri": f"{CONTACTS}/contacts", "columns": "_id", "selection": "display_name LIKE '%o''t%'"}, ["1 rows", "6"]),
        ({"uri": "content://com.android.calendar/instances/when/1768200000000/1768300000000", "columns": "title,begin"},
         ["1 rows", "Team meeting|1768208400000"]),
        ({"uri": "content://com.android.calendar/events", "columns": "_id", "selection": "title IS NULL"},
         ["1 rows", "4"]),
        ({"uri": IMAGES, "columns": "bucket_display_name", "selection": "1) GROUP BY 1,(1"},
         ["3 rows", "Camera", "Pictures", "Screenshots"]),
        ({"uri": "content://media/external/audio/albums", "columns": "album,numsongs"},
         ["2 rows", "Sample Album|2", "Music|1"]),
    ],
)  # fmt: skip
def test_queries_are_answered_as_sqlite_does(ask: Ask, question: dict[str, str], answer: list[str]) -> None:
    assert ask(**question) == answer


def test_what_the_media_store_lists_can_be_read_through_it_and_as_a_file(ask: Ask) -> None:
    path = "/storage/emulated/0/DCIM/Camera/IMG_20260101_120000.jpg"
    assert ask(uri=f"{IMAGES}/1", columns="_data,width,height") == ["1 rows", f"{path}|1024|768"]
    assert ask(uri=f"{IMAGES}/1", what="type") == ["type image/jpeg"]
    assert ask(uri=f"{IMAGES}/1", what="bytes") == ask(uri=path, what="file") == ["bytes of a picture 1024x768"]
    assert ask(uri=f"{IMAGES}/4", what="bytes") == ["bytes of a picture 72x128"]
    assert ask(uri="/sdcard/Pictures/Ñandú & Søn (1)%20.JPG", what="file") == ["bytes of a picture 64x64"]
    assert ask(uri=f"{IMAGES}/99", what="bytes") == [f"FileNotFoundException: No item at {IMAGES}/99"]
    assert ask(uri="Download", what="list") == ["[data.csv, invoice.pdf, scan]"]


def test_a_photo_is_read_and_a_missing_one_is_not(ask: Ask) -> None:
    assert ask(uri=f"{CONTACTS}/contacts/1/display_photo", what="bytes") == ["bytes of a picture 96x96"]
    assert ask(uri=f"{CONTACTS}/contacts/2/photo", what="bytes")[0].startswith("FileNotFoundException: No photo")


def test_what_the_app_may_not_read_or_write_is_refused_in_a_phones_words(ask: Ask) -> None:
    calls = ask(uri="content://call_log/calls", columns="number")
    assert calls[0].startswith("SecurityException: Permission Denial: reading")
    assert "requires android.permission.READ_CALL_LOG" in calls[0]
    made = ask(uri=f"{CONTACTS}/raw_contacts", what="insert", values="account_type=x")
    assert "requires android.permission.WRITE_CONTACTS" in made[0]
    tree = ask(uri="content://com.android.externalstorage.documents/document/primary%3ADocuments", columns="_size")
    assert "requires android.permission.MANAGE_DOCUMENTS" in tree[0]


def test_what_the_app_adds_is_there_until_the_next_launch(ask: Ask) -> None:
    made = ask(uri=IMAGES, what="insert", values="_display_name=mine.png,mime_type=image/png")
    assert made == [f"made {IMAGES}/16"]
    assert ask(uri=f"{IMAGES}/16", columns="_data") == ["1 rows", "/storage/emulated/0/Pictures/mine.png"]


def test_the_clipboard_has_a_text_and_the_phone_has_ringtones(ask: Ask) -> None:
    assert ask(what="other") == ["accounts 0", "clip Copied from another app", "ringtones 2"]


def test_an_empty_phone_has_the_providers_without_rows_and_no_files(open_sample: OpenSample) -> None:
    player = Player(open_sample("lab", SessionSettings(content="empty")))
    assert asked(player, uri=f"{CONTACTS}/contacts", columns="_id") == ["0 rows"]
    assert asked(player, uri=IMAGES, columns="_id") == ["0 rows"]
    assert asked(player, uri="Download", what="list") == ["null"]
    assert asked(player, what="other") == ["accounts 0", "clip none", "ringtones 2"]
