"""A phone that is online finds servers that answer what was asked for; no socket leaves the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.player import Player
from integration.test_content import asked

from fewtaps.config import DeviceSettings, PlaySettings
from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import UsageError
from fewtaps.model.app import App
from fewtaps.model.result import Reproduction
from fewtaps.model.served import ServedAnswer, literal
from fewtaps.pipeline.playing import play_file
from fewtaps.replay import play
from fewtaps.tracefile import read_trace, write_trace

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def online(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("pocket"), SessionSettings(network="online")) as session:
        yield session


def fetched(session: TwinSession, url: str, world: int = 0) -> Player:
    player = Player(session, world)
    asked(player, uri=url, what="http")
    return player.wait(20_000)


@pytest.mark.parametrize(
    ("url", "kind", "body"),
    [
        ("https://example.com/api/items.json", "application/json; charset=utf-8", "bytes"),
        ("http://example.com/feed", "application/rss+xml; charset=utf-8", "bytes"),
        ("https://example.com/", "text/html; charset=utf-8", "bytes"),
        ("https://cdn.example.com/img/300x200.png", "image/png", "bytes of a picture 300x200"),
        ("https://cdn.example.com/photo/640/480", "image/jpeg", "bytes of a picture 640x480"),
    ],
)
def test_url_connections_and_sockets_get_what_the_address_asks_for(
    online: TwinSession, url: str, kind: str, body: str
) -> None:
    heard = fetched(online, url).heard
    assert heard[:2] == [f"status 200 {kind}", body]
    assert heard[-1] == f"socket HTTP/1.1 200 OK, Content-Type: {kind}"
    assert (f"names [[2, {url.split('/')[2]}]]" in heard) == url.startswith("https")


def test_the_world_breaks_a_connection_or_refuses(online: TwinSession) -> None:
    items = "https://example.com/api/items.json"
    assert fetched(online, items, 1).heard == ["status 200 application/json; charset=utf-8", "ProtocolException"]
    assert fetched(online, items, 18).heard == ["status 401 application/json", "FileNotFoundException"]


def test_news_without_an_author_crash_online_and_not_offline(online: TwinSession, open_sample: OpenSample) -> None:
    news = read_trace(SAMPLES / "pocket" / "crash-news.jsonl")
    crash = play(online, news.events).crash
    assert crash is not None and crash.root is not None
    assert crash.root.type == "java.lang.NullPointerException"
    assert play(open_sample("pocket"), news.events).crash is None


def test_a_file_of_answers_is_served_and_what_it_lacks_is_told(open_sample: OpenSample) -> None:
    url = "https://example.com/v1/users/7"
    served = (ServedAnswer("GET", literal(url), 200, "text/x-mine", b"mine", (("etag", "1"),)),)
    session = open_sample("pocket", SessionSettings(network="served", served=served))
    heard = fetched(session, url).heard
    assert heard[:2] == ["status 200 text/x-mine", "bytes"]
    player = Player(session)
    notes: list[str] = []
    asked(player, uri="https://example.com/v1/other?key=secret", what="http")
    for _ in range(4):
        notes += player.step.notes
        player.wait(5000)
    assert player.heard == ["status 404 text/plain", "FileNotFoundException"]
    assert [note for note in notes if "not in" in note] == [
        "asked for and not in the file: GET https://example.com/v1/other?…"
    ]


def test_a_trace_is_played_again_with_the_network_of_its_session(online: TwinSession, tmp_path: Path) -> None:
    news = read_trace(SAMPLES / "pocket" / "crash-news.jsonl")
    played = play(online, news.events)
    assert played.session == (("network", "online"),)
    write_trace(tmp_path / "news.jsonl", played)
    again = PlaySettings(DeviceSettings(jail=jail_problem() is None))
    report = play_file(str(SAMPLES / "pocket.apk"), tmp_path / "news.jsonl", again)
    assert report.reproduction == Reproduction(1, 1)
    write_trace(tmp_path / "served.jsonl", replace(played, session=(("network", "served"),)))
    with pytest.raises(UsageError, match="har:FILE"):
        play_file(str(SAMPLES / "pocket.apk"), tmp_path / "served.jsonl", again)
