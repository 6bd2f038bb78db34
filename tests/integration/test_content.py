"""A furnished phone has people, appointments, pictures and files that apps can query, open and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.conftest import OpenSample
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
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
    with twin.open(sample("pocket")) as session:
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


def test_the_phone_has_ringtones(ask: Ask) -> None:
    assert ask(what="other") == ["accounts 0", "clip none", "ringtones 2", "media version api1:1"]


INTENTS = """
intent:#Intent;action=android.intent.action.VIEW;type=vnd.android-dir/mms-sms;end
intent:#Intent;action=android.intent.action.MAIN;type=vnd.android-dir/mms-sms;end
intent:#Intent;action=com.android.keychain.CHOOSER;end
intent:#Intent;action=android.intent.action.MAIN;category=android.intent.category.APP_MUSIC;end
intent:#Intent;action=android.intent.action.MAIN;category=android.intent.category.HOME;end
intent:#Intent;action=android.intent.action.SEND;type=text/plain;end
intent:#Intent;action=android.intent.action.SEND_MULTIPLE;type=image/*;end
intent:#Intent;action=android.intent.action.GET_CONTENT;type=*/*;end
intent:#Intent;action=android.intent.action.OPEN_DOCUMENT;type=*/*;end
intent:#Intent;action=android.intent.action.OPEN_DOCUMENT_TREE;end
intent:#Intent;action=android.intent.action.CREATE_DOCUMENT;type=text/plain;end
intent:#Intent;action=android.intent.action.PICK;type=image/*;end
intent:#Intent;action=android.intent.action.RINGTONE_PICKER;end
intent:#Intent;action=android.intent.action.SET_ALARM;end
intent:#Intent;action=android.intent.action.SHOW_ALARMS;end
intent:#Intent;action=android.intent.action.SET_TIMER;end
intent:#Intent;action=android.intent.action.WEB_SEARCH;end
intent:#Intent;action=android.intent.action.INSERT;type=vnd.android.cursor.dir/event;end
intent:#Intent;action=android.intent.action.INSERT;type=vnd.android.cursor.dir/contact;end
intent:#Intent;action=android.media.action.IMAGE_CAPTURE;end
intent:#Intent;action=android.media.action.VIDEO_CAPTURE;end
intent:#Intent;action=android.media.action.STILL_IMAGE_CAMERA;end
intent:#Intent;action=android.speech.action.RECOGNIZE_SPEECH;end
intent:#Intent;action=android.settings.SETTINGS;end
intent:#Intent;action=android.settings.WIFI_SETTINGS;end
intent:#Intent;action=android.settings.panel.action.INTERNET_CONNECTIVITY;end
intent:#Intent;action=android.settings.APP_NOTIFICATION_SETTINGS;end
intent:package:dev.fewtaps.samples.pocket#Intent;action=android.settings.APPLICATION_DETAILS_SETTINGS;end
intent:package:dev.fewtaps.samples.pocket#Intent;action=android.settings.action.MANAGE_OVERLAY_PERMISSION;end
intent:package:dev.fewtaps.samples.pocket#Intent;action=android.intent.action.DELETE;end
intent:#Intent;action=com.android.settings.TTS_SETTINGS;end
mailto:a@example.com#Intent;action=android.intent.action.SENDTO;end
mailto:a@example.com#Intent;action=android.intent.action.VIEW;end
sms:5550101#Intent;action=android.intent.action.VIEW;end
smsto:5550101#Intent;action=android.intent.action.SENDTO;end
tel:5550101#Intent;action=android.intent.action.DIAL;end
tel:5550101#Intent;action=android.intent.action.VIEW;end
geo:1,2#Intent;action=android.intent.action.VIEW;end
market:%2F%2Fdetails?id=a#Intent;action=android.intent.action.VIEW;end
https://example.com#Intent;action=android.intent.action.VIEW;end
content://com.android.contacts/contacts/1#Intent;action=android.intent.action.VIEW;end
content://media/external/images/media/1#Intent;action=android.intent.action.VIEW;type=image/jpeg;end
file:///sdcard/Download/invoice.pdf#Intent;action=android.intent.action.VIEW;type=application/pdf;end
""".strip()


def test_the_intents_that_every_phone_handles_find_an_app(ask: Ask) -> None:
    assert [line for line in ask(uri=INTENTS, what="resolve") if not line.startswith("true ")] == []
    unknown = "intent:#Intent;action=dev.fewtaps.NOTHING;end"
    assert ask(uri=unknown, what="resolve") == [f"false {unknown}"]


def test_the_version_of_the_media_store_needs_no_permission(open_sample: OpenSample) -> None:
    player = Player(open_sample("pocket", SessionSettings(permissions="denied")))
    assert asked(player, what="other")[-1] == "media version api1:1"


def test_an_empty_phone_has_the_providers_without_rows_and_no_files(open_sample: OpenSample) -> None:
    player = Player(open_sample("pocket", SessionSettings(content="empty")))
    assert asked(player, uri=f"{CONTACTS}/contacts", columns="_id") == ["0 rows"]
    assert asked(player, uri=IMAGES, columns="_id") == ["0 rows"]
    assert asked(player, uri="Download", what="list") == ["null"]
    assert asked(player, what="other") == ["accounts 0", "clip none", "ringtones 2", "media version api1:1"]


MEDIA = "com.android.providers.media.documents/document"
DOCUMENTS = "com.android.externalstorage.documents"


def picked(session: TwinSession, intent: str, world: int = 0) -> list[str]:
    return asked(Player(session, world), uri=intent, what="pick")


def test_what_a_picker_returns_can_be_read_and_the_world_decides_what_it_is(open_sample: OpenSample) -> None:
    session = open_sample("pocket")
    image = "intent:#Intent;action=android.intent.action.GET_CONTENT;type=image/*;end"
    assert picked(session, image) == [f"result true data content://{MEDIA}/image%3A1", "bytes of a picture 1024x768"]
    assert picked(session, image, 4) == ["result false data none"]
    revoked = picked(session, image, 22)
    assert revoked == [f"result true data content://{MEDIA}/image%3A1", "SecurityException"]
    assert picked(session, image, 23)[1] == "bytes of a picture 8000x6000"
    empty = open_sample("pocket", SessionSettings(content="empty"))
    assert picked(empty, image) == ["result false data none"]


@pytest.mark.parametrize(
    ("action", "answer"),
    [
        ("android.intent.action.OPEN_DOCUMENT;type=application/pdf",
         [f"result true data content://{DOCUMENTS}/document/primary%3ADocuments%2Freport.pdf", "bytes"]),
        ("android.intent.action.CREATE_DOCUMENT;type=text/plain;S.android.intent.extra.TITLE=notes.txt",
         [f"result true data content://{DOCUMENTS}/document/primary%3ADocuments%2Fnotes%20(1).txt", "no bytes"]),
        ("android.media.action.IMAGE_CAPTURE", ["result true data null", "extra data"]),
        ("android.media.action.VIDEO_CAPTURE", ["result true data content://media/external/video/media/6", "bytes"]),
        ("android.intent.action.RINGTONE_PICKER",
         ["result true data null", "extra android.intent.extra.ringtone.PICKED_URI"]),
        ("android.speech.action.RECOGNIZE_SPEECH",
         ["result true data null", "extra android.speech.extra.CONFIDENCE_SCORES",
          "extra android.speech.extra.RESULTS"]),
        ("android.intent.action.PICK;type=vnd.android.cursor.dir/phone_v2",
         ["result true data content://com.android.contacts/data/9", "FileNotFoundException"]),
    ],
)  # fmt: skip
def test_each_kind_of_chooser_returns_what_its_caller_expects(
    open_sample: OpenSample, action: str, answer: list[str]
) -> None:
    said = picked(open_sample("pocket"), f"intent:#Intent;action={action};end")
    assert [said[0], *sorted(said[1:])] == answer
