"""What is read from commands of a device, and what is said to it: no device takes part."""

from __future__ import annotations

import pytest

from fewtaps.device.adb.attached import AttachedDevice, candidates, parse_devices
from fewtaps.device.adb.facts import QUESTIONS, parse_facts
from fewtaps.device.adb.installing import install_error
from fewtaps.device.adb.locks import SerialLock, device_file
from fewtaps.device.adb.system_events import intent_command, system_command, undo_command, was_refused
from fewtaps.device.adb.told import exit_reason, hang_stack, is_locked, receivers, resumed_activity
from fewtaps.device.adb.wire import parse_answer
from fewtaps.errors import DeviceUnavailable, Unsupported, UnsupportedApp
from fewtaps.model.event import StartIntent, SystemEvent

LISTED = """\
28051FDH2000AB         device usb:1-2 product:oriole model:Pixel_6 device:oriole transport_id:1
emulator-5554          offline transport_id:2
R58M123ABC             unauthorized usb:1-3 transport_id:3
????????????           no permissions (missing udev rules? user is in the plugdev group); see [http://x]
"""


def test_devices_are_listed_with_what_to_do_about_them() -> None:
    phone, offline, unknown, forbidden = parse_devices(LISTED)
    assert phone == AttachedDevice("28051FDH2000AB", "device", "Pixel 6") and not phone.advice
    assert (offline.state, unknown.state, forbidden.state) == ("offline", "unauthorized", "no permissions")
    assert "allow USB debugging" in unknown.advice and "udev" in forbidden.advice and "plug" in offline.advice
    assert "too old" in AttachedDevice("a", "device", "Old", 19).advice


def test_the_only_ready_device_is_meant_without_a_serial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANDROID_SERIAL", raising=False)
    devices = parse_devices(LISTED)
    assert [each.serial for each in candidates(devices, "")] == ["28051FDH2000AB"]
    monkeypatch.setenv("ANDROID_SERIAL", "emulator-5554")
    with pytest.raises(DeviceUnavailable, match="emulator-5554 is offline: unplug"):
        candidates(devices, "")


@pytest.mark.parametrize(
    ("listed", "argument", "words"),
    [
        ("", "", "no device: plug in a phone"),
        ("", "any", "no device: plug in a phone"),
        ("A device\nB device\n", "", r"several devices \(A, B\): name one by its serial"),
        ("A device\n", "C", "no device C; adb knows: A"),
        ("A unauthorized\n", "", "A is unauthorized: unlock the phone"),
        ("A offline\nB unauthorized\n", "B", "B is unauthorized"),
        ("A strange\n", "", "A is strange: wait until"),
    ],
)
def test_a_device_that_cannot_be_used_is_one_line_that_says_what_to_do(
    listed: str, argument: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANDROID_SERIAL", raising=False)
    with pytest.raises(DeviceUnavailable, match=words) as error:
        candidates(parse_devices(listed), argument)
    assert "\n" not in str(error.value)


def test_any_takes_all_that_are_ready() -> None:
    assert [each.serial for each in candidates(parse_devices("A device\nB offline\nC device\n"), "any")] == ["A", "C"]


@pytest.mark.parametrize(
    ("output", "kind", "words"),
    [
        ("Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package a.b signatures do not match]", DeviceUnavailable,
         "another signature is there; --reinstall removes"),
        ("Failure [INSTALL_FAILED_VERSION_DOWNGRADE]", DeviceUnavailable, "a newer one is there; --reinstall"),
        ("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]", DeviceUnavailable, "no room"),
        ("Failure [INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113]", UnsupportedApp,
         "another processor"),
        ("Failure [INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #33]", UnsupportedApp, "newer Android"),
        ("Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]", DeviceUnavailable, "Install via USB"),
        ("Failure [INSTALL_PARSE_FAILED_NO_CERTIFICATES]", UnsupportedApp, "not signed"),
        ("Failure [INSTALL_SOMETHING_NEW: reasons]", DeviceUnavailable, "INSTALL_SOMETHING_NEW: reasons"),
        ("", DeviceUnavailable, "no reason given"),
        ("java.lang.SecurityException: \x1b[31m no", DeviceUnavailable, r"\\u001b\[31m no"),
    ],
)  # fmt: skip
def test_a_failed_installation_says_what_to_do(output: str, kind: type[Exception], words: str) -> None:
    error = install_error(output, "a.b", "S")
    assert type(error) is kind
    with pytest.raises(kind, match=words):
        raise error


def test_facts_of_a_device_are_read_and_an_override_holds() -> None:
    assert len(QUESTIONS) == 9
    answers = ["Pixel 6", "Google", "14", "34", "arm64-v8a,armeabi-v7a", "de-DE", "com.keys/.Ime"]
    size = "Physical size: 1080x2400\nOverride size: 720x1600"
    text = "\nfewtaps-next\n".join([*answers, size, "Physical density: 420\nOverride density: 280"])
    facts = parse_facts(text)
    assert (facts.words, facts.api, facts.keyboard) == ("Pixel 6, Android 14", 34, "com.keys")
    assert (facts.width, facts.height, facts.dpi) == (720, 1600, 280)
    assert facts.profile.screen == (720, 1600, 280) and facts.profile.locale == "de-DE"
    assert parse_facts("").api == 0


def test_a_status_is_the_last_line_of_an_answer() -> None:
    assert parse_answer("out\n\nfewtaps-status:7\n").status == 7
    assert parse_answer("out\r\n\r\nfewtaps-status:0\r\n").text == "out\n"
    assert parse_answer("cut off").status == 255


ANR = """\
Drop box contents: 41 entries
========================================
2024-05-01 10:00:00 data_app_anr (compressed text, 12345 bytes)
Process: org.shop
PID: 100
"main" prio=5 tid=1 Native
  at org.shop.Old.wait(Old.java:1)

========================================
2024-05-01 11:00:00 data_app_anr (compressed text, 12345 bytes)
Process: com.other
PID: 300
"main" prio=5 tid=1 Native
  at com.other.A.b(A.java:1)

========================================
2024-05-01 12:00:00 data_app_anr (compressed text, 12345 bytes)
Process: org.shop
PID: 200
Flags: 0x38a8be44
"Signal Catcher" daemon prio=5 tid=4 Runnable
  at somewhere.Else.go(Else.java:1)

"main" prio=5 tid=1 Sleeping
  | group="main" sCount=1 dsCount=0 flags=1 obj=0x7
  | state=S schedstat=( 1 2 3 ) utm=1 stm=2 core=1 HZ=100
  at java.lang.Thread.sleep(Native method)
  - sleeping on <0x0f> (a java.lang.Object)
  at org.shop.Cart.pay(Cart.java:31)
  at android.os.Handler.dispatchMessage(Handler.java:106)

"Binder:1" prio=5 tid=9 Native
  at other.Thread.run(Thread.java:1)
"""


def test_the_stack_of_a_hang_is_that_of_the_main_thread_of_the_process() -> None:
    frames = hang_stack(ANR, "org.shop", 200)
    assert [f"{frame.class_name}.{frame.method}" for frame in frames] == [
        "java.lang.Thread.sleep",
        "org.shop.Cart.pay",
        "android.os.Handler.dispatchMessage",
    ]
    assert hang_stack(ANR, "org.nobody", 200) == () and hang_stack("", "org.shop", 1) == ()


def test_a_locked_screen_is_known_by_its_older_and_newer_words() -> None:
    assert is_locked("  isKeyguardShowing=true\n") and is_locked("mShowingLockscreen=true mShowingDream=false")
    newer = "  KeyguardServiceDelegate\n    showing={}\n    inputRestricted=true\n"
    assert is_locked(newer.format("true")) and not is_locked(newer.format("false"))
    assert not is_locked("  mAwake=true mShowingLockscreen=false isKeyguardShowing=false\n showing=true")


def test_the_reason_of_an_exit_is_that_of_the_process() -> None:
    text = (
        "ApplicationExitInfo #0:\n timestamp=1 pid=12 x\n process=a reason=4 (CRASH)\nApplicationExitInfo #1:\n pid=9\n"
    )
    assert exit_reason(text + " reason=1 (EXIT_SELF)", 9) == 1
    assert exit_reason(text, 12) == 4 and exit_reason(text, 13) is None


def test_receivers_are_those_that_the_app_registered() -> None:
    text = """
  Registered Receivers:
  * ReceiverList{1 11 org.shop/10123/u0 remote:2}
    Filter #0: BroadcastFilter{3}
      Action: "org.shop.PAID"
      Action: "android.intent.action.TIME_TICK"
  * ReceiverList{1 11 org.shop.beta/10123/u0 remote:2}
      Action: "beta"
  Receiver Resolver Table:
      Action: "not.this"
"""
    assert receivers(text, "org.shop") == {"org.shop.PAID", "android.intent.action.TIME_TICK"}


@pytest.mark.parametrize(
    ("text", "activity"),
    [
        ("  mResumedActivity: ActivityRecord{4d5e6f u0 org.shop/.Main t12}", "org.shop.Main"),
        ("  topResumedActivity=ActivityRecord{4d5e6f u0 org.shop/org.shop.pay.Pay t12}", "org.shop.pay.Pay"),
        ("  mFocusedActivity: ActivityRecord{4d u0 org.shop/.Main t1}", "org.shop.Main"),
        ("  mResumedActivity: ActivityRecord{4d5e6f u0 com.launcher/.Home t12}", None),
        ("nothing", None),
    ],
)
def test_the_activity_in_front_is_told_by_dumpsys(text: str, activity: str | None) -> None:
    assert resumed_activity(text, "org.shop") == activity


@pytest.mark.parametrize(
    ("event", "command"),
    [
        (SystemEvent("airplane_mode", (("state", "true"),)), "cmd connectivity airplane-mode enable"),
        (SystemEvent("battery_low"), "dumpsys battery set level 5"),
        (SystemEvent("power_disconnected"), "dumpsys battery unplug"),
        (SystemEvent("low_memory"), "am send-trim-memory a.b RUNNING_CRITICAL"),
        (SystemEvent("locale", (("to", "ar-EG"),)), "cmd locale set-app-locales a.b --user current --locales ar-EG"),
        (SystemEvent("permission", (("name", "x.Y"), ("to", "denied"))), "pm revoke a.b x.Y"),
        (SystemEvent("screen_off"), "input keyevent KEYCODE_SLEEP"),
        (SystemEvent("broadcast", (("action", "a.b.GO; reboot"),)), "am broadcast -a 'a.b.GO; reboot' -p a.b"),
        (
            SystemEvent("broadcast", (("action", "a.b.GO"), ("n", "$(id)"))),
            "am broadcast -a a.b.GO -p a.b --es n '$(id)'",
        ),
    ],
)
def test_an_event_of_the_system_is_a_command(event: SystemEvent, command: str) -> None:
    assert system_command(event, "a.b", 34) == command


@pytest.mark.parametrize(
    ("event", "api"),
    [
        (SystemEvent("time_changed"), 34),
        (SystemEvent("connectivity"), 34),
        (SystemEvent("no_such_thing"), 34),
        (SystemEvent("locale", (("to", "de-DE"),)), 32),
        (SystemEvent("airplane_mode", (("state", "true"),)), 29),
    ],
)
def test_what_only_the_system_may_cause_is_unsupported(event: SystemEvent, api: int) -> None:
    with pytest.raises(Unsupported):
        system_command(event, "a.b", api)


@pytest.mark.parametrize(
    ("event", "told", "command"),
    [
        *((SystemEvent(name), "", "dumpsys battery reset") for name in ("battery_low", "power_disconnected")),
        (SystemEvent("airplane_mode", (("state", "true"),)), "disabled\n", "cmd connectivity airplane-mode disable"),
        (SystemEvent("airplane_mode", (("state", "false"),)), "enabled\n", "cmd connectivity airplane-mode enable"),
        (
            SystemEvent("locale", (("to", "ar-EG"),)),
            "Locales for a.b for user 0 are []\n",
            "cmd locale set-app-locales a.b --user current --locales",
        ),
        (
            SystemEvent("locale", (("to", "ar-EG"),)),
            "Locales for a.b for user 0 are [de-DE,fr-FR]\n",
            "cmd locale set-app-locales a.b --user current --locales de-DE,fr-FR",
        ),
        (SystemEvent("screen_off"), "", "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard"),
        (SystemEvent("low_memory"), "", ""),
    ],
)
def test_what_was_there_before_an_event_is_put_back(event: SystemEvent, told: str, command: str) -> None:
    assert undo_command(event, "a.b", lambda asked: told) == command


def test_an_intent_stays_within_the_app() -> None:
    assert intent_command(StartIntent("a.VIEW", "x:y z"), "a.b") == "am start -W -a a.VIEW -d 'x:y z' -p a.b"
    assert intent_command(StartIntent(component="a.b/.C"), "a.b") == "am start -W -n a.b/.C"
    with pytest.raises(Unsupported):
        intent_command(StartIntent("a\0b"), "a.b")


def test_a_refusal_of_the_system_is_known() -> None:
    assert was_refused("Security exception: Permission Denial: not allowed to send broadcast android.intent.action.X")
    assert not was_refused("Broadcast completed: result=0")


def test_a_device_has_one_user(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path_factory.mktemp("cache")))
    first, second = SerialLock("192.168.1.7:5555"), SerialLock("192.168.1.7:5555")
    assert first.take() is None
    assert second.take() is not None
    assert SerialLock("192.168.1.7_5555").take() is None
    first.release()
    assert second.take() is None
    assert device_file("../../etc/x", ".lock").parent == device_file("a", ".lock").parent
