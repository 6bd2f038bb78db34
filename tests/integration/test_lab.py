"""Every feature of the lab sample, played as a user would; what each button says is what a phone would say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.errors import UsageError
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, Key, Launch, Pinch, StartIntent, Swipe, SystemEvent, Tap
from fewtaps.model.screen import WidgetFlags, WindowKind

pytestmark = pytest.mark.jvm

Open = Callable[..., Player]


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("lab"), SessionSettings(launch_ms=500)) as opened:
        yield opened


@pytest.fixture
def lab(session: TwinSession) -> Open:
    """Starts a run of the lab at one of its screens."""
    return lambda name, world=0: Player(session, world).open(name)


def test_the_first_screen_lists_the_features(session: TwinSession) -> None:
    player = Player(session)
    assert player.activity == "MainActivity"
    assert player.tap("Dialogs").activity == "DialogsActivity"
    assert player.back().activity == "MainActivity"
    assert player.back().step.ending is Ending.LEFT


# Activities.


def test_a_result_comes_back(lab: Open) -> None:
    player = lab("ResultActivity").tap("Ask for a name").type("Ada", into="Name").tap("OK")
    assert player.said == ["request 7 ok: Ada"]
    assert player.tap("Ask for a name", "Cancel").said == ["request 7 canceled, data null"]
    assert player.tap("Ask with a guess", "OK").said == ["request 8 ok: Grace"]


def test_back_cancels_a_request(lab: Open) -> None:
    player = lab("ResultActivity").tap("Ask for a name")
    if player.screen.keyboard:
        player.back()
    assert player.back().said == ["request 7 canceled, data null"]


def test_a_standard_activity_is_made_anew_each_time(lab: Open) -> None:
    player = lab("LaunchModesActivity").tap("Standard", "Standard")
    assert player.said == ["StandardActivity instance 3"]
    assert player.back().back().activity == "LaunchModesActivity"


def test_a_single_top_activity_gets_a_new_intent_on_top_only(lab: Open) -> None:
    player = lab("LaunchModesActivity").tap("Single top", "Single top")
    assert player.said == ["new intent 1"]
    assert player.tap("Standard", "Single top").said == ["SingleTopActivity instance 4"]


def test_a_single_task_activity_clears_what_is_above_it(lab: Open) -> None:
    player = lab("LaunchModesActivity").tap("Single task", "Standard", "Standard", "Single task")
    assert player.said == ["new intent 1"]
    assert player.back().activity == "LaunchModesActivity"


def test_a_single_instance_activity_is_one(lab: Open) -> None:
    player = lab("LaunchModesActivity").tap("Single instance", "Single instance")
    assert player.said == ["new intent 1"]


def test_only_the_first_activity_is_the_root_of_its_task(lab: Open) -> None:
    assert lab("LaunchModesActivity").tap("Task").said == ["task root: false"]


def test_clear_top_makes_the_activity_anew(lab: Open) -> None:
    player = lab("FlagsActivity").tap("Deeper", "Deeper", "Clear top")
    assert player.said == ["FlagsActivity instance 4 depth 3"]
    assert player.back().activity == "MainActivity"


def test_clear_top_with_single_top_keeps_it(lab: Open) -> None:
    player = lab("FlagsActivity").tap("Deeper", "Deeper", "Clear top, single top")
    assert player.said == ["new intent depth 3"]
    assert player.back().activity == "MainActivity"


def test_single_top_flag(lab: Open) -> None:
    assert lab("FlagsActivity").tap("Deeper", "Single top").said == ["new intent depth 2"]


def test_reorder_to_front_keeps_what_was_above(lab: Open) -> None:
    player = lab("FlagsActivity").tap("Deeper", "Reorder to front")
    assert player.said == ["new intent depth 2"]
    assert player.back().activity == "FlagsTargetActivity"


@pytest.mark.parametrize("button", ["No history flag", "No history activity"])
def test_no_history(lab: Open, button: str) -> None:
    player = lab("FlagsActivity").tap(button, "Deeper")
    assert player.back().activity == "FlagsActivity"


def test_clear_task(lab: Open) -> None:
    player = lab("FlagsActivity").tap("Deeper", "Clear task")
    assert player.said == ["FlagsActivity instance 3 depth 2"]
    assert player.back().step.ending is Ending.LEFT


def test_finish_affinity_leaves_the_app(lab: Open) -> None:
    assert lab("FlagsActivity").tap("Deeper", "Finish affinity").step.ending is Ending.LEFT


def test_move_to_back_and_return(lab: Open) -> None:
    player = lab("FlagsActivity").tap("Move to back")
    assert (player.said, player.step.ending) == (["moved true"], Ending.LEFT)
    assert player.do(Launch()).activity == "FlagsActivity"


def test_saved_state_survives_a_rotation_and_fields_do_not(lab: Open) -> None:
    player = lab("RotationActivity").tap("Count", "Count").type("words", into="field")
    player.rotate("landscape")
    assert player.said == ["landscape creation 2 kept 2 forgotten 0", "last instance: retained 2"]
    assert (player.screen.width, player.screen.height, player.screen.rotation) == (1280, 720, 1)
    assert player.widget("field").text == "words"
    assert player.rotate("portrait").said == ["portrait creation 3 kept 2 forgotten 0", "last instance: retained 2"]


def test_an_activity_is_created_once_and_the_way_it_wants_to_be_held(lab: Open) -> None:
    player = lab("SidewaysActivity")
    assert (player.said, player.screen.width) == (["creation 1 landscape"], 1280)
    assert player.rotate("portrait").said == []
    player.tap("Rotation")
    assert "portrait creation 1 kept 0 forgotten 0" in player.said
    assert (player.back().said, player.activity, player.screen.width) == ([], "SidewaysActivity", 1280)


def test_an_activity_that_was_covered_keeps_its_orientation(lab: Open) -> None:
    player = lab("RotationActivity").tap("Count").open("SidewaysActivity")
    assert player.said == ["creation 1 landscape"]
    assert (player.back().said, player.activity, player.screen.width) == ([], "RotationActivity", 720)
    player.open("SidewaysActivity").rotate("reverse_landscape")
    assert "landscape creation 2 kept 1 forgotten 0" in player.back().said


def test_the_status_bar_takes_touches_unless_it_is_hidden(lab: Open) -> None:
    assert lab("SidewaysActivity").do(Tap(600, 5)).said == ["touched 600,5"]
    player = lab("DialogsActivity").tap("Alert")
    assert player.front == "dialog"
    assert player.do(Tap(600, 5)).front == "dialog"
    assert player.do(Tap(600, 100)).front == "activity"


def test_recreate(lab: Open) -> None:
    player = lab("RotationActivity").tap("Count", "Recreate")
    assert player.said == ["portrait creation 2 kept 1 forgotten 0", "last instance: retained 1"]


def test_upside_down_is_no_new_configuration(lab: Open) -> None:
    player = lab("RotationActivity").tap("Count")
    assert player.rotate("reverse_portrait").said == []
    assert player.screen.rotation == 2


def test_an_activity_that_handles_rotation_is_told(lab: Open) -> None:
    player = lab("ConfigActivity").rotate("landscape")
    assert player.said == ["changed to landscape, creation 1"]
    assert player.tap("Size").said[0].startswith("size 640x")
    assert player.rotate("portrait").said == ["changed to portrait, creation 1"]


LEAVING = ["leave hint", "pause", "stop", "save"]


def calls(player: Player) -> list[str]:
    """The callbacks since the last Forget, without those of the window's focus."""
    return [line for line in player.tap("Show").said if "focus" not in line]


def test_the_life_of_an_activity(lab: Open) -> None:
    player = lab("LifecycleActivity")
    assert calls(player) == ["create", "start", "post create", "resume", "post resume"]
    player.tap("Forget").key("HOME")
    assert player.step.ending is Ending.LEFT
    player.do(Launch())
    assert calls(player) == [*LEAVING, "restart", "start", "resume", "post resume"]


def test_a_covered_activity_stops_and_comes_back(lab: Open) -> None:
    player = lab("LifecycleActivity").tap("Forget", "Cover", "Cancel")
    assert calls(player) == [*LEAVING, "restart", "start", "resume", "post resume"]


def test_a_rotated_activity_is_destroyed_and_made_again(lab: Open) -> None:
    player = lab("LifecycleActivity").tap("Forget").rotate("landscape")
    assert calls(player) == [
        *["pause", "stop", "save", "destroy"],
        *["create again", "start", "restore", "post create", "resume", "post resume"],
    ]


def test_a_finished_activity_is_destroyed(lab: Open) -> None:
    player = lab("LifecycleActivity").tap("Forget", "Finish").open("LifecycleActivity")
    assert calls(player)[:4] == ["pause", "stop", "destroy finishing", "create"]


def test_focus_comes_after_resume_and_goes_after_pause(lab: Open) -> None:
    player = lab("LifecycleActivity").key("HOME").do(Launch()).tap("Show")
    assert [line for line in player.said if "focus" in line] == ["focus", "no focus", "focus"]
    assert player.said.index("post resume") < player.said.index("focus")
    assert player.said.index("pause") < player.said.index("no focus")


# Fragments, dialogs, menus.


def test_fragments_have_a_back_stack(lab: Open) -> None:
    player = lab("FragmentsActivity")
    assert player.shows("page 1")
    assert player.tap("Push page", "Push page").said == ["stack 2"]
    assert player.shows("page 3")
    assert player.back().said == ["stack 1"]
    assert player.shows("page 2")
    assert player.tap("Pop page").shows("page 1")
    assert player.back().activity == "MainActivity"


def test_fragments_survive_a_rotation(lab: Open) -> None:
    player = lab("FragmentsActivity").tap("Push page").rotate("landscape")
    assert player.shows("page 2")
    assert player.back().shows("page 1")


def test_a_dialog_fragment_survives_a_rotation(lab: Open) -> None:
    player = lab("FragmentsActivity").tap("Dialog fragment").rotate("landscape")
    assert player.front == "dialog"
    assert player.tap("Agree").said == ["agreed"]
    assert player.front == "activity"


@pytest.mark.parametrize(("button", "answer"), [("Yes", "yes"), ("No", "no"), ("Maybe", "maybe")])
def test_an_alert_is_answered(lab: Open, button: str, answer: str) -> None:
    player = lab("DialogsActivity").tap("Alert")
    assert player.front == "dialog"
    assert player.shows("Alert title") and player.shows("Alert message")
    assert player.tap(button).said == [f"alert {answer}", "alert dismissed"]


def test_back_and_a_tap_outside_cancel_an_alert(lab: Open) -> None:
    player = lab("DialogsActivity").tap("Alert").back()
    assert player.said == ["alert canceled", "alert dismissed"]
    player.tap("Alert")
    assert player.do(Swipe(360, 70, 360, 70, duration_ms=50)).said == ["alert canceled", "alert dismissed"]


def test_an_alert_goes_with_its_activity(lab: Open) -> None:
    player = lab("DialogsActivity").tap("Alert").rotate("landscape")
    assert player.step.ending is Ending.RUNNING
    assert [window.kind for window in player.screen.windows] == [WindowKind.ACTIVITY]


@pytest.mark.parametrize(
    ("taps", "said"),
    [
        (["List", "Mars"], ["list Mars"]),
        (["Single choice", "Venus"], ["checked Venus"]),
        (["Multi choice", "Earth"], ["Earth true"]),
        (["Multi choice", "Earth", "Earth"], ["Earth false"]),
        (["Date", "OK"], ["date 2020-2-29"]),
        (["Time", "OK"], ["time 13:37"]),
        (["Managed", "Close"], ["managed closed"]),
        (["Popup window", "Popup content"], ["popup tapped", "popup dismissed"]),
        (["Two dialogs", "Earth", "Yes"], ["alert yes", "alert dismissed"]),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_dialogs(lab: Open, taps: list[str], said: list[str]) -> None:
    assert lab("DialogsActivity").tap(*taps).said == said


def test_a_checked_choice_shows(lab: Open) -> None:
    player = lab("DialogsActivity").tap("Single choice")
    assert WidgetFlags.CHECKED in player.widget("Earth").flags
    assert WidgetFlags.CHECKED in player.tap("Venus").widget("Venus").flags
    assert player.tap("Done").front == "activity"


def test_a_dialog_takes_text(lab: Open) -> None:
    player = lab("DialogsActivity").tap("Input").type("some words", into="field").tap("Done")
    assert player.said == ["input some words"]


def test_a_progress_dialog_goes_when_the_work_is_done(lab: Open) -> None:
    player = lab("DialogsActivity").tap("Progress")
    assert player.shows("Please wait")
    assert player.back().shows("Please wait")
    assert player.wait(1000).said == ["progress done"]
    assert not player.shows("Please wait")


def test_back_closes_a_popup(lab: Open) -> None:
    assert lab("DialogsActivity").tap("Popup window").back().said == ["popup dismissed"]


def test_a_dialog_that_is_not_cancelable_stays(lab: Open) -> None:
    player = lab("DialogsActivity").tap("Stubborn").back()
    assert player.shows("Only the button closes this")
    assert player.tap("Close").said == ["stubborn closed"]


def test_options_in_the_bar_and_in_the_overflow(lab: Open) -> None:
    player = lab("MenusActivity")
    assert player.tap("Add").said == ["option Add"]
    assert player.tap("More options").front == "popup"
    assert player.tap("Share").said == ["option Share"]
    assert player.key("MENU").tap("Night mode").said == ["option Night mode true"]
    assert player.tap("Open options", "Night mode").said == ["option Night mode false"]


def test_a_sub_menu(lab: Open) -> None:
    player = lab("MenusActivity").tap("More options", "Sort by")
    assert player.said == ["sub menu Sort by"]
    assert player.tap("Date").said == ["option Date true"]


def test_a_disabled_option_does_nothing(lab: Open) -> None:
    assert lab("MenusActivity").tap("More options", "Disabled").said == []


def test_a_search_in_the_bar(lab: Open) -> None:
    player = lab("MenusActivity").tap("Search").type("planets").key("ENTER")
    # A hardware key, so that a phone's search field hears of it twice: going down and going up.
    assert set(player.said) == {"search planets"}


def test_a_context_menu(lab: Open) -> None:
    player = lab("MenusActivity")
    assert player.tap("Context menu").said == ["short tap"]
    assert player.hold("Context menu").shows("Delete")
    assert player.tap("Copy").said == ["context Copy"]


def test_a_popup_menu(lab: Open) -> None:
    player = lab("MenusActivity").tap("Popup menu", "Delete")
    assert sorted(player.said) == ["popup Delete", "popup closed"]
    assert player.tap("Popup menu").back().said == ["popup closed"]


def test_an_action_mode(lab: Open) -> None:
    player = lab("MenusActivity").tap("Action mode")
    assert player.shows("1 selected")
    assert player.tap("Archive").said == ["action Archive", "action mode ended"]
    assert player.tap("Action mode").back().said == ["action mode ended"]


# Widgets and input.


def test_a_spinner(lab: Open) -> None:
    player = lab("WidgetsActivity")
    assert player.heard == ["spinner Mercury"]
    assert player.tap("spinner", "Mars").said == ["spinner Mars"]


@pytest.mark.parametrize(
    ("taps", "said"),
    [
        (["check"], ["check true"]),
        (["check", "check"], ["check false"]),
        (["switch"], ["switch true"]),
        (["right"], ["radio right"]),
        (["seek"], ["seek 5"]),
        (["rating"], ["rating 3.0"]),
        (["Inflate stub"], ["inflated true"]),
        (["Plurals"], ["1 item", "5 items"]),
        (["Disabled"], []),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_widgets(lab: Open, taps: list[str], said: list[str]) -> None:
    assert lab("WidgetsActivity").tap(*taps).said == said


def test_completion(lab: Open) -> None:
    player = lab("WidgetsActivity").type("ma", into="complete").wait(4000)  # The filter works in the background.
    assert player.front == "popup"
    assert player.tap("Mars").said == ["completed Mars"]


def test_a_list_scrolls_clicks_and_empties(lab: Open) -> None:
    player = lab("ListsActivity")
    assert player.tap("row 2").widget("log").text == "clicked row 2"
    list_view = player.widget("list").bounds
    x, y = list_view.centre
    player.do(Swipe(x, list_view.bottom - 20, x, list_view.top + 20, duration_ms=500))
    assert not player.shows("row 0")
    assert player.shows("row 9")
    player.do(Swipe(x, list_view.top + 20, x, list_view.bottom + 600, duration_ms=100)).wait(2000)
    assert player.shows("row 0")
    assert player.hold("row 1").widget("log").text == "long clicked row 1"
    assert player.shows("nothing left")


def test_a_button_in_a_row(lab: Open) -> None:
    player = lab("ListsActivity").tap("remove")
    assert player.widget("log").text == "removed row 0"
    assert "row 0" not in player.texts


def test_an_expandable_list_and_a_grid(lab: Open) -> None:
    player = lab("ListsActivity")
    assert player.tap("outer").widget("log").text == "expanded outer"
    assert player.tap("Saturn").widget("log").text == "child Saturn"
    assert player.tap("C").widget("log").text == "grid C"


def test_tabs(lab: Open) -> None:
    player = lab("TabsActivity")
    assert player.shows("first content")
    player.tap("Second")
    assert player.shows("second content") and player.shows("tab second")


def test_tabs_of_activities(lab: Open) -> None:
    player = lab("OldTabsActivity")
    assert player.shows("Short toast") and not player.shows("Paste")
    assert player.tap("Clipboard").shows("Paste") and not player.shows("Short toast")
    assert player.tap("Copy", "Paste").said == ["pasted copied words"]


def test_a_texture_is_there_while_its_view_is(lab: Open) -> None:
    player = lab("TextureActivity")
    assert player.said == ["texture of 200x100"]
    assert player.tap("Wider").said == ["texture now of 300x100"]
    assert player.tap("Ready").said == ["available true"]
    assert player.back().said == ["texture gone"]


def test_a_toast_is_shown_for_its_time(lab: Open) -> None:
    player = lab("ToastActivity").tap("Short toast")
    assert player.front == "toast"
    assert player.shows("short toast")
    assert not player.wait(2000).shows("short toast")
    assert player.tap("Own toast").shows("own toast")


def test_toasts_queue_up(lab: Open) -> None:
    player = lab("ToastActivity").tap("Long toast", "Short toast")
    assert player.shows("long toast") and "short toast" not in player.texts
    assert "short toast" in player.wait(3000).texts


def test_fields_take_what_they_allow(lab: Open) -> None:
    player = lab("KeyboardActivity")
    assert not player.screen.keyboard
    player.tap("text")
    assert player.screen.keyboard
    assert player.type("hello").said[-1] == "text = hello"
    assert player.type("12a3", into="number").said[-1] == "number = 123"
    assert player.type("secret", into="password").said[-1] == "password = secret"
    assert WidgetFlags.PASSWORD in player.widget("secret").flags
    assert player.type("too long", into="search").said[-1] == "search = too l"
    assert player.type("two\nlines", into="lines").said == ["lines = two", "lines"]


def test_editor_actions(lab: Open) -> None:
    player = lab("KeyboardActivity").tap("text").key("ENTER")
    assert player.said == ["action 0 on text"]  # The key of a keyboard with wires has no action.
    assert WidgetFlags.FOCUSED in player.widget("number").flags
    assert player.tap("search").type("word\n").said[:2] == ["search = word", "action search on search"]
    assert player.tap("text").type("\n").said == ["action next on text"]
    assert WidgetFlags.FOCUSED in player.widget("number").flags


def test_back_hides_the_keyboard_first(lab: Open) -> None:
    player = lab("KeyboardActivity").tap("Show keyboard")
    assert player.screen.keyboard
    assert not player.back().screen.keyboard
    assert player.activity == "KeyboardActivity"
    assert player.tap("Show keyboard", "Hide keyboard").screen.keyboard is False
    assert player.back().activity == "MainActivity"


def test_keys_reach_the_activity(lab: Open) -> None:
    player = lab("KeyboardActivity")
    assert player.key("VOLUME_UP").said == ["key KEYCODE_VOLUME_UP"]
    assert player.key("DPAD_DOWN").step.ending is Ending.RUNNING


def test_gestures(lab: Open) -> None:
    player = lab("GesturesActivity")
    pad = player.widget("pad").bounds
    x, y = pad.centre
    assert player.tap("pad").said == [f"tap at {x - pad.left},{y - pad.top}"]
    assert player.do(DoubleTap(x, y)).said == ["double tap"]
    assert player.hold("pad").said == ["long press"]
    assert player.do(Swipe(x, y, x + 250, y, duration_ms=100)).said == ["fling right"]
    assert player.do(Swipe(x, y, x, y - 250, duration_ms=100)).said == ["fling up"]
    assert "pinch open" in player.do(Pinch(x, y, 350, 640)).said
    assert "pinch close" in player.do(Pinch(x, y, 640, 350)).said
    assert player.tap("Drawn").said == ["drawn true"]


def test_a_web_view_shows_what_it_is_given(lab: Open) -> None:
    player = lab("WebActivity")
    assert player.heard == ["web view made"]
    assert any(WidgetFlags.WEB in widget.flags for widget in player.screen.iter_widgets())
    assert player.tap("Load data").said == ["data loaded"]
    assert player.shows("Hello")
    assert player.tap("Load page").said == ["url https://example.org/"]
    assert player.tap("Go back").step.ending is Ending.RUNNING
    assert player.tap("Script").said == ["script null"]


# Services, providers, broadcasts, alarms, jobs.


def test_a_started_service(lab: Open) -> None:
    player = lab("ServicesActivity").tap("Start")
    assert player.said == ["component .StartedService"]
    player.tap("Start")
    assert player.tap("Stop").said == ["stopped true"]
    assert player.tap("Stop").said == ["stopped false"]
    assert player.tap("Calls").said == [
        "started: create",
        "started: start 1 id 1 hello",
        "started: start 2 id 2 hello",
        "started: destroy",
    ]


def test_a_bound_service(lab: Open) -> None:
    player = lab("ServicesActivity").tap("Bind")
    assert player.said == ["bind true", "connected .BoundService"]
    assert player.tap("Ask", "Ask").said == ["answer 2"]
    assert player.tap("Unbind", "Calls").said == ["bound: bind", "bound: unbind", "bound: destroy"]


def test_a_service_is_unbound_by_the_end_of_its_client(lab: Open) -> None:
    player = lab("ServicesActivity").tap("Bind").rotate("landscape").tap("Bind", "Ask")
    assert player.said == ["answer 1"]


def test_a_messenger(lab: Open) -> None:
    assert lab("ServicesActivity").tap("Messenger").said == ["messenger says 42"]


def test_a_foreground_service_stops_itself(lab: Open) -> None:
    player = lab("ServicesActivity").tap("Foreground").wait(2500).tap("Calls")
    assert player.said == ["foreground: start", "foreground: destroy"]


def test_an_intent_service_works_in_order_off_the_main_thread(lab: Open) -> None:
    player = lab("ServicesActivity").tap("Intent service").wait(10_000)
    assert player.heard == ["square 4", "square 9", "square 16"]
    assert player.tap("Calls").said == ["work: 2 off main", "work: 3 off main", "work: 4 off main", "work: destroy"]


def test_absent_services(lab: Open) -> None:
    player = lab("ServicesActivity")
    assert player.tap("Absent service").said == ["component null"]
    assert player.tap("Bind absent").said == ["bind false"]


def test_a_provider(lab: Open) -> None:
    player = lab("ProviderActivity")
    assert player.heard == ["provider before application: true"]
    assert player.tap("Insert").said == ["inserted 1", "changed notes"]
    assert player.tap("Insert", "Query").said == ["rows 2", "1 note 1", "2 note 2"]
    assert player.tap("Update").said == ["updated 1", "changed notes"]
    assert player.tap("Delete").said == ["deleted 2", "changed notes"]
    assert player.tap("Type").said == ["type vnd.android.cursor.dir/vnd.fewtaps.note"]
    assert player.tap("Absent provider").said == ["absent null"]


def test_a_broadcast(lab: Open) -> None:
    player = lab("BroadcastsActivity")
    assert sorted(player.tap("Send").said) == ["first received 1", "second received 1"]
    assert player.tap("Unregister", "Send").said == []


def test_who_listens_to_what(lab: Open) -> None:
    player = lab("BroadcastsActivity")
    ping = "dev.fewtaps.samples.lab.PING"
    system = ("AIRPLANE_MODE", "BATTERY_LOW", "TIME_TICK", "SCREEN_OFF", "LOCALE_CHANGED")
    actions = {f"android.intent.action.{name}" for name in system}
    assert player.session.listening() == actions | {ping}
    player.tap("Unregister")
    assert player.session.listening() == actions
    # The system forgets what a destroyed activity left behind.
    assert player.back().session.listening() == frozenset()


def test_a_receiver_of_the_manifest(lab: Open) -> None:
    assert lab("BroadcastsActivity").tap("To manifest").said == ["manifest received 1"]


def test_ordered_broadcasts(lab: Open) -> None:
    player = lab("BroadcastsActivity")
    assert player.tap("Ordered").said == [
        "first received 2",
        "second received 2",
        "result -1: first manifest second",
    ]
    assert player.tap("Aborted").said == ["first received 2", "result -1: first"]


def test_a_sticky_broadcast_stays(lab: Open) -> None:
    assert lab("BroadcastsActivity").tap("Sticky").said == ["before false", "after 3"]


def test_the_battery_is_known(lab: Open) -> None:
    (said,) = lab("BroadcastsActivity").tap("Battery").said
    assert 0 < int(said.removeprefix("battery ")) <= 100


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        ("airplane_mode", "AIRPLANE_MODE"),
        ("battery_low", "BATTERY_LOW"),
        ("screen_off", "SCREEN_OFF"),
    ],
)
def test_the_system_broadcasts(lab: Open, name: str, heard: str) -> None:
    assert lab("BroadcastsActivity").do(SystemEvent(name)).said == [f"system {heard}"]


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ("Set", ["alarm set", "set fired after 2000 ms"]),
        ("Clock time", ["clock fired after 2000 ms"]),
        ("Listener", ["listener fired"]),
        (
            "Repeat",
            ["repeat fired after 1000 ms", "repeat fired after 2000 ms", "repeat fired after 3000 ms"],
        ),
    ],
)
def test_alarms(lab: Open, button: str, said: list[str]) -> None:
    assert lab("AlarmActivity").tap(button).wait(6000).heard == said


def test_an_alarm_opens_a_screen(lab: Open) -> None:
    assert lab("AlarmActivity").tap("Open screen").wait(2000).activity == "AnswerActivity"


def test_a_canceled_alarm_does_not_fire(lab: Open) -> None:
    assert lab("AlarmActivity").tap("Set", "Cancel").wait(5000).said == []


def test_jobs(lab: Open) -> None:
    player = lab("JobActivity").tap("Schedule")
    assert player.said == ["scheduled 1"]
    assert player.tap("Pending").said == ["pending 1"]
    assert player.wait(2000).tap("Calls").said == ["job 1 started"]
    assert player.tap("Pending").said == ["pending 0"]


def test_a_slow_job_and_a_canceled_one(lab: Open) -> None:
    player = lab("JobActivity").tap("Slow job").wait(3000).tap("Calls")
    assert player.said == ["job 2 started", "job 2 finished"]
    assert player.tap("Never", "Cancel", "Pending").said == ["pending 0"]


# Background work.


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ("Post delayed", ["posted after 1000 ms"]),
        ("Timer", ["tick 1 on background", "tick 2 on background", "tick 3 on background"]),
        ("Handler thread", ["handler thread on background"]),
        ("Executor", [f"executor {number} on background" for number in (1, 2, 3, 4)]),
        ("Scheduled", ["scheduled on background"]),
        ("Thread", ["thread plain on background"]),
        ("Race", ["race: blue", "race: red"]),
        ("Future", ["future 42"]),
        ("Completable", ["completable 42"]),
        ("Countdown", ["countdown done", "countdown ticks", "countdown ticks", "countdown ticks"]),
        ("Animator", ["animated to 100"]),
        ("Frame", ["frame drawn"]),
        ("Loader", ["loaded 99"]),
        ("Join", ["joined 5"]),
        ("Wait notify", ["notified"]),
    ],
)
def test_background_work(lab: Open, button: str, said: list[str]) -> None:
    player = lab("BackgroundActivity").tap(button).wait(10_000)
    assert sorted(player.heard) == said
    assert player.step.ending is Ending.RUNNING


def test_an_async_task_runs_its_parts_on_their_threads(lab: Open) -> None:
    player = lab("BackgroundActivity").tap("Async task").wait(10_000)
    assert player.heard[0] == "task before on main"
    assert player.heard[-1] == "task result 6 on main"
    assert [line for line in player.heard if "progress" in line] == [f"task progress {sum}" for sum in (1, 3, 6)]
    assert "task works on background" in player.heard


def test_async_tasks_run_in_parallel_on_the_pool(lab: Open) -> None:
    player = lab("BackgroundActivity").tap("Async pool").wait(10_000)
    assert sorted(line for line in player.heard if "result" in line) == [
        f"task result {number} on main" for number in (1, 2, 3)
    ]


def test_the_world_decides_a_race(lab: Open) -> None:
    winners = {
        next(line for line in lab("BackgroundActivity", world).tap("Race").wait(10_000).heard if "race" in line)
        for world in range(8)
    }
    assert winners == {"race: red", "race: blue"}


def test_work_takes_no_real_time_and_ends_with_the_wait(lab: Open) -> None:
    player = lab("BackgroundActivity").tap("Post delayed")
    assert player.said == []
    assert player.wait(400).said == []
    assert player.wait(200).said == ["posted after 1000 ms"]


# Storage.


def test_preferences(lab: Open) -> None:
    player = lab("PreferencesActivity")
    assert player.tap("Count").said == ["changed count"]
    assert player.tap("Commit").said == ["changed word", "committed true"]
    assert player.tap("Count", "Show").said == ["all {count=2, word=hello}"]
    assert player.back().open("PreferencesActivity").said == ["all {count=2, word=hello}"]
    assert player.tap("Clear", "Show").said == ["all {}"]


def test_a_settings_screen(lab: Open) -> None:
    player = lab("SettingsScreenActivity").tap("Night mode")
    assert player.tap("Planet", "Saturn").shows("planet = Saturn")
    assert "ada" in player.tap("Nickname").type("ada", into="edit").tap("OK").texts
    assert player.back().open("SettingsScreenActivity").shows("Planet")


def test_a_database(lab: Open) -> None:
    player = lab("DatabaseActivity")
    assert player.tap("Insert").said == ["create", "inserted 1"]
    assert player.tap("Insert", "Query").said == ["columns 2 rows 2", "city 1 1000", "city 2 2000"]
    assert player.tap("Duplicate").said == ["refused SQLiteConstraintException"]
    assert player.tap("Transaction").said == ["inside 0", "after 2"]
    assert player.tap("Statement").said == ["people 3000"]
    assert player.tap("Bad SQL").said == ["error SQLiteException"]
    assert player.tap("Upgrade").said == ["upgrade 1 to 2", "version 2"]
    assert player.tap("Delete file").said == ["deleted true"]


def test_files(lab: Open) -> None:
    player = lab("FilesActivity")
    assert player.tap("Write", "Write").said == ["wrote 10"]
    assert player.tap("Read").said == ["read line"]
    assert player.tap("List").said == ["files [note.txt]"]
    assert player.tap("Delete").said == ["deleted true"]
    assert player.tap("Read").said == ["failed FileNotFoundException"]


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ("Cache", ["cache there and back"]),
        ("External", ["external there and back"]),
        ("Card", ["state mounted", "card there and back"]),
        ("Fixed path", ["fixed there and back"]),
        ("Dir", ["dir app_box"]),
    ],
)
def test_places_for_files(lab: Open, button: str, said: list[str]) -> None:
    assert lab("FilesActivity").tap(button).said == said


def test_assets_and_raw_resources(lab: Open) -> None:
    player = lab("FilesActivity")
    assets, text = player.tap("Assets").said
    assert assets == "assets [hello.txt]"
    assert text
    assert len(player.tap("Raw").said) == 1


# The phone around the app.


def test_permissions_granted(lab: Open) -> None:
    player = lab("PermissionActivity")
    assert player.heard == ["camera granted"]
    assert player.tap("Camera").said == ["request 1 CAMERA granted"]
    assert player.tap("Undeclared").said == ["request 3 RECORD_AUDIO denied"]
    player.do(SystemEvent("permission", (("name", "android.permission.CAMERA"), ("to", "denied"))))
    assert "camera denied" in player.open("PermissionActivity").heard


def test_a_notification(lab: Open) -> None:
    player = lab("NotificationActivity").tap("Notify", "Active")
    assert player.said == ["active 1"]
    assert player.tap("Cancel", "Active").said == ["active 0"]


def test_the_clipboard(lab: Open) -> None:
    player = lab("ClipboardActivity")
    assert player.tap("Paste").said == ["pasted nothing"]
    assert player.tap("Copy", "Paste").said == ["pasted copied words"]


def test_the_system(lab: Open) -> None:
    player = lab("SystemActivity")
    model, sdk, abis = player.tap("Build").said
    assert "null" not in model + abis
    assert sdk == "sdk 28 release 9"
    assert player.tap("Screen").said == ["screen 720x1280 density 320"]
    assert player.tap("Locale").said == ["locale en_US cancel = Cancel"]
    assert "activities" in player.tap("Package").said[0]
    assert player.tap("Services").said == ["services 18 of 18"]
    assert player.tap("Airplane").said == ["airplane 0"]
    assert player.tap("Vibrate").said == ["vibrated"]
    assert player.tap("Interactive").said == ["screen on true"]
    assert player.tap("Memory").said == ["memory known true"]


def test_a_phone_has_a_camera_and_can_draw_with_opengl(lab: Open) -> None:
    assert lab("SystemActivity").tap("Parts").said == ["OpenGL ES 3.0", "camera 0 facing 1", "camera 1 facing 0"]


def test_the_key_store_keeps_keys_until_the_next_run(lab: Open) -> None:
    for _ in range(2):
        player = lab("SystemActivity")
        assert player.tap("Key store").said == ["keys []", "read back secret"]
        assert player.tap("Key store").said == ["keys [lab]", "read back secret"]


def test_a_logged_exception_comes_with_its_stack(lab: Open) -> None:
    (line,) = lab("SystemActivity").tap("Log").step.log
    first, outside, at, *rest = line.split("\n")
    assert (first, outside) == ("E/lab: it failed", "java.lang.IllegalStateException: outside")
    assert at.startswith("\tat dev.fewtaps.samples.lab.SystemActivity.") and "(SystemActivity.java:" in at
    assert "Caused by: java.io.IOException: inside" in rest
    assert not any("robo" in part or "fewtaps.twin" in part for part in rest)


def test_memory_runs_low(lab: Open) -> None:
    assert lab("SystemActivity").do(SystemEvent("low_memory")).said == ["low memory", "trim running"]


def test_the_app_is_told_that_it_is_hidden(lab: Open) -> None:
    assert lab("SystemActivity").key("HOME").said == ["trim hidden"]


def test_the_locale_changes(lab: Open) -> None:
    player = lab("SystemActivity").do(SystemEvent("locale", (("to", "de-DE"),)))
    assert "locale de_DE" in player.said
    assert player.tap("Locale").said == ["locale de_DE cancel = Abbrechen"]


@pytest.mark.parametrize(("tag", "said"), [("zh-Hant-TW", "locale zh_TW_#Hant"), ("fr", "locale fr")])
def test_a_locale_may_have_a_script_or_no_country(lab: Open, tag: str, said: str) -> None:
    assert said in lab("SystemActivity").do(SystemEvent("locale", (("to", tag),))).said


def test_airplane_mode_is_a_setting_too(lab: Open) -> None:
    player = lab("SystemActivity").do(SystemEvent("airplane_mode"))
    assert player.tap("Airplane").said == ["airplane 1"]
    player.do(SystemEvent("airplane_mode", (("state", "false"),)))
    assert player.tap("Airplane").said == ["airplane 0"]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (SystemEvent("nonsense"), "unknown system event"),
        (SystemEvent("broadcast"), "needs action"),
        (SystemEvent("permission"), "needs name"),
        (SystemEvent("locale", (("to", "zz-!!"),)), "not a locale"),
        (Key("NONSENSE"), "unknown key"),
        (StartIntent(component="nonsense"), "package/class"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_and_no_crash(lab: Open, event: Event, reason: str) -> None:
    player = lab("SystemActivity")
    with pytest.raises(UsageError, match=reason):
        player.do(event)
    assert player.tap("Interactive").said == ["screen on true"]


def test_the_network_is_offline(lab: Open) -> None:
    player = lab("NetworkActivity")
    assert player.tap("Connectivity").said == ["connected false"]
    assert player.tap("On main thread").said == ["main thread: NetworkOnMainThreadException"]
    for button in ("HTTP", "Socket", "Name"):
        player.tap(button)
    player.wait(10_000)
    assert sorted(line for line in player.heard if "Unknown" in line) == [
        f"{button}: UnknownHostException" for button in ("HTTP", "Name", "Socket")
    ]


INTENTS = ("Browser", "Map", "Dial", "Mail", "Share", "Settings", "Alarm clock", "Web search")
PICKED = {
    "Pick contact": "content://com.android.contacts/",
    "Pick image": "content://com.android.providers.media.documents/",
    "Photo": None,
}


def test_neighbours_answer_intents(lab: Open) -> None:
    player = lab("IntentsActivity")
    for button in INTENTS:
        said = player.tap(button).said
        assert said == [f"{button}: started, resolved true", "result false data none"]
        assert player.step.notes
    for button, data in PICKED.items():
        said = player.tap(button).said
        assert said[0] == f"{button}: started, resolved true"
        # In world 0 the third that is asked for something is left without a choice.
        assert said[1].startswith(f"result true data {data}" if data else "result false data none")
    assert player.tap("Nonsense").said == ["Nonsense: nobody"]


def test_the_user_turns_bluetooth_on_if_asked(lab: Open) -> None:
    player = lab("IntentsActivity")
    assert player.tap("Bluetooth state").said == ["Bluetooth is off"]
    assert player.tap("Bluetooth").said == ["Bluetooth: started, resolved true", "result true data none"]
    assert player.tap("Bluetooth state").said == ["Bluetooth is on"]


def test_neighbours_have_providers(lab: Open) -> None:
    player = lab("NeighboursActivity")
    for button, rows in {"Contacts": 10, "Images": 5, "Audio": 3, "Calendars": 2, "Downloads": 0}.items():
        assert player.tap(button).said == [f"{button}: {rows} rows"]
    assert player.tap("System setting").step.ending is Ending.RUNNING
    assert player.tap("Settings of a new phone").said == ["missing:"]
    assert player.tap("Signers").said == ["1 signers, the same: true"]
    assert "null" not in player.tap("Android id").said[0]


# Settings of the session: these open the app again, hence last.


@pytest.mark.parametrize("answer", ["Allow", "Deny"])
def test_permissions_asked(twin: TwinDevice, sample: Callable[[str], App], answer: str) -> None:
    with twin.open(sample("lab"), SessionSettings(permissions="asked")) as session:
        player = Player(session).open("PermissionActivity")
        assert player.said == ["camera denied"]
        player.tap("Camera", answer)
        assert player.said == ["request 1 CAMERA " + ("granted" if answer == "Allow" else "denied")]
        player.tap("Contacts and calendar")
        assert player.front != "activity"


def test_permissions_denied(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    with twin.open(sample("lab"), SessionSettings(permissions="denied")) as session:
        player = Player(session).open("PermissionActivity")
        assert player.said == ["camera denied"]
        assert player.tap("Camera").said == ["request 1 CAMERA denied"]
        player.back().open("IntentsActivity")
        assert player.tap("Bluetooth").said == ["Bluetooth: started, resolved true", "result false data none"]


def test_neighbours_absent(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    with twin.open(sample("lab"), SessionSettings(neighbours="absent")) as session:
        player = Player(session).open("IntentsActivity")
        for button in INTENTS:
            if button != "Share":
                assert player.tap(button).said == [f"{button}: nobody"]
        player.back().open("NeighboursActivity")
        assert player.tap("Contacts").said == ["Contacts: no cursor"]


def test_a_faked_network_answers(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    with twin.open(sample("lab"), SessionSettings(network="faked")) as session:
        player = Player(session).open("NetworkActivity")
        assert player.tap("Connectivity").said == ["connected true"]
        player.tap("HTTP").wait(20_000)
        assert any(line.startswith("HTTP: ") for line in player.heard)
