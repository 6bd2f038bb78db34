"""What `read_apk` makes of sound, odd and hostile files."""

from __future__ import annotations

import random
import struct
import zipfile
from pathlib import Path

import pytest
from apk_parts import LAUNCHER, Tag, activity, compile_xml, decode_here, dex, manifest, write_apk, write_zip

from fewtaps.apk import decoding
from fewtaps.apk.reader import inspect_apk, read_apk
from fewtaps.apk.xml import TASKS
from fewtaps.device.twin.entry import require_runnable
from fewtaps.errors import ApkError, FewtapsError, UnsupportedApp, UsageError
from fewtaps.model.app import App

LEANBACK = "android.intent.category.LEANBACK_LAUNCHER"
SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(autouse=True)
def without_child(request: pytest.FixtureRequest) -> None:
    """Most tests here decode in this process; a test with `in_child` does not."""
    if "in_child" not in request.fixturenames:
        request.getfixturevalue("decoded_here")


@pytest.fixture
def in_child() -> None:
    """Files are decoded in a child process, as outside of tests."""


@pytest.fixture
def apk(tmp_path: Path) -> Path:
    return tmp_path / "app.apk"


def read(apk: Path, *components: Tag, **options: object) -> App:
    return read_apk(write_apk(apk, manifest(*components, **options)))  # type: ignore[arg-type]


def obstacle(apk: Path) -> str:
    with pytest.raises(UnsupportedApp) as raised:
        require_runnable(inspect_apk(apk))
    return str(raised.value)


@pytest.mark.slow
@pytest.mark.usefixtures("in_child")
def test_reads_package_version_and_launcher(apk: Path) -> None:
    app = read(apk, activity(".Main", LAUNCHER), activity(".Other"), root={"versionName": "1.2"})
    assert (app.package, app.version, app.launcher) == ("com.example", "1.2", "com.example.Main")
    assert [each.name for each in app.activities] == ["com.example.Main", "com.example.Other"]
    assert len(app.digest) == 64


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "meant"),
    [(".Main", "com.example.Main"), ("Main", "com.example.Main"), ("org.else.Main", "org.else.Main")],
)
def test_completes_class_names_as_android_does(apk: Path, given: str, meant: str) -> None:
    assert read(apk, activity(given, LAUNCHER)).launcher == meant


def test_an_alias_launches_the_activity_behind_it(apk: Path) -> None:
    alias = activity(".Icon", LAUNCHER, kind="activity-alias", targetActivity=".Main")
    assert read(apk, activity(".Main"), alias).launcher == "com.example.Main"


def test_takes_the_first_of_several_launchers(apk: Path) -> None:
    assert read(apk, activity(".One", LAUNCHER), activity(".Two", LAUNCHER)).launcher == "com.example.One"


def test_passes_over_a_disabled_launcher(apk: Path) -> None:
    app = read(apk, activity(".One", LAUNCHER, enabled=False), activity(".Two", LAUNCHER))
    assert app.launcher == "com.example.Two"
    assert [each.name for each in app.activities] == ["com.example.Two"]


def test_a_television_app_has_a_launcher_but_a_phone_launcher_wins(apk: Path) -> None:
    assert read(apk, activity(".Tv", LEANBACK)).launcher == "com.example.Tv"
    assert read(apk, activity(".Tv", LEANBACK), activity(".Main", LAUNCHER)).launcher == "com.example.Main"


def test_an_app_without_launcher_is_readable(apk: Path) -> None:
    assert read(apk, activity(".Main")).launcher is None


@pytest.mark.parametrize(("given", "meant"), [(9, 9), ("9", 9), ("0x10", 16), ("Q", 29), ("?", 1), ("", 1)])
def test_reads_sdk_levels_however_they_are_written(apk: Path, given: str | int, meant: int) -> None:
    assert read(apk, extra=[Tag("uses-sdk", {"minSdkVersion": given})]).min_sdk == meant


def test_target_sdk_is_the_minimum_unless_said(apk: Path) -> None:
    assert read(apk, extra=[Tag("uses-sdk", {"minSdkVersion": 14})]).target_sdk == 14


def test_an_app_may_ask_for_a_large_heap(apk: Path) -> None:
    assert not read(apk, activity(".Main", LAUNCHER)).large_heap
    assert read(apk, activity(".Main", LAUNCHER), application={"largeHeap": True}).large_heap


def test_attribute_names_do_not_matter_where_their_numbers_are_known(apk: Path) -> None:
    root = Tag("manifest", {"package": "com.example"}, [Tag("application", {}, [activity(".Main", LAUNCHER)])])
    apk = write_apk(apk, compile_xml(root, names={"name": ""}))
    assert read_apk(apk).launcher == "com.example.Main"


def test_a_label_in_missing_resources_is_left_empty(apk: Path) -> None:
    app = read(apk, activity(".Main", LAUNCHER), application={"label": 0x7F010000})
    assert app.label == ""


def test_damaged_resources_do_not_stop_the_reading(apk: Path) -> None:
    content = manifest(activity(".Main", LAUNCHER), application={"label": 0x7F010000})
    write_apk(apk, content, {"resources.arsc": b"\x02\0\x0c\0\xff\xff\xff\x7frubbish"})
    assert read_apk(apk).label == ""


@pytest.mark.parametrize(
    ("resources", "reason"),
    [
        (b"\x02\0\x0c\0\x40\0\0\0\x01\0\0\0", "its resources.arsc is cut short: 12 of 64 bytes are there"),
        (b"\x02\0", "its resources.arsc is cut short: 2 of 12 bytes are there"),
        (b"\x03\0\x0c\0\x0c\0\0\0\0\0\0\0", "its resources.arsc is no table of resources"),
    ],
)
def test_damaged_resources_are_refused_in_one_line_before_anything_runs(
    apk: Path, resources: bytes, reason: str
) -> None:
    write_apk(apk, manifest(activity(".Main", LAUNCHER)), {"resources.arsc": resources})
    with pytest.raises(UnsupportedApp) as refused:
        require_runnable(inspect_apk(apk))
    assert str(refused.value).endswith(reason)


def test_lists_native_libraries_and_says_that_they_cannot_run(apk: Path) -> None:
    write_apk(apk, None, {"lib/arm64-v8a/libfoo.so": b"", "lib/x86/libfoo.so": b""})
    inspection = inspect_apk(apk)
    assert inspection.app.native_abis == ("arm64-v8a", "x86")
    assert inspection.limits.notes == ("1 native library cannot run: libfoo.so",)
    require_runnable(inspection)


def test_reads_all_of_several_dex_files_in_order(apk: Path) -> None:
    write_apk(apk, None, {f"classes{n}.dex": dex([f"com.example.C{n}"]) for n in (10, 2, 3)})
    inspection = inspect_apk(apk)
    assert inspection.app.dex_files == ("classes.dex", "classes2.dex", "classes3.dex", "classes10.dex")
    assert inspection.class_count == 4


def test_a_split_without_its_base_is_unsupported(apk: Path) -> None:
    write_apk(apk, manifest(root={"split": "config.xxhdpi"}))
    assert "split APK" in obstacle(apk)


def test_an_app_without_dex_is_unsupported(apk: Path) -> None:
    write_zip(apk, {"AndroidManifest.xml": manifest(activity(".Main", LAUNCHER))})
    assert "no DEX" in obstacle(apk)


def test_an_app_of_native_code_only_is_unsupported(apk: Path) -> None:
    content = manifest(activity("android.app.NativeActivity", LAUNCHER), application={"hasCode": False})
    write_zip(apk, {"AndroidManifest.xml": content, "lib/x86/libmain.so": b""})
    assert "native-only" in obstacle(apk)


@pytest.mark.parametrize(
    ("parent", "engine"),
    [("android.app.NativeActivity", "NativeActivity"), ("io.flutter.embedding.android.FlutterActivity", "Flutter")],
)
def test_a_first_screen_drawn_by_native_code_is_unsupported(apk: Path, parent: str, engine: str) -> None:
    classes = {"com.example.Main": "com.example.Between", "com.example.Between": parent}
    write_apk(apk, None, {"classes.dex": dex(classes)})
    assert engine in obstacle(apk)


def test_packed_code_is_told_apart(apk: Path) -> None:
    write_apk(apk, None, {"classes.dex": dex(["com.stub.StubApp"]), "assets/libjiagu.so": b""})
    assert "encrypted: 360 Jiagu" in obstacle(apk)


def test_a_packers_file_alone_proves_nothing(apk: Path) -> None:
    require_runnable(inspect_apk(write_apk(apk, None, {"assets/libjiagu.so": b""})))


def test_a_missing_first_activity_is_told_before_trying(apk: Path) -> None:
    write_apk(apk, None, {"classes.dex": dex(["com.example.Unrelated"])})
    assert "first activity, com.example.Main" in obstacle(apk)


def test_code_in_the_archive_of_instant_run_belongs_to_the_app(apk: Path, tmp_path: Path) -> None:
    inner = write_zip(tmp_path / "inner.zip", {"slice_0-classes.dex": dex(["com.example.Main"])}).read_bytes()
    classes = dex(["com.android.tools.fd.runtime.BootstrapApplication"])
    inspection = inspect_apk(write_apk(apk, None, {"classes.dex": classes, "instant-run.zip": inner}))
    assert inspection.limits.obstacles == ()
    assert inspection.class_count == 2


def test_a_damaged_archive_of_instant_run_is_as_good_as_none(apk: Path) -> None:
    classes = dex(["com.android.tools.fd.runtime.BootstrapApplication"])
    write_apk(apk, None, {"classes.dex": classes, "instant-run.zip": b"PK\3\4 and no more"})
    assert "Instant Run" in obstacle(apk)


def test_code_that_instant_run_put_into_further_apks_is_told_before_trying(apk: Path) -> None:
    write_apk(apk, None, {"classes.dex": dex(["com.android.tools.ir.server.InstantRunContentProvider"])})
    assert "Instant Run: its code is in further APKs" in obstacle(apk)


def test_an_encrypted_dex_is_unsupported(apk: Path) -> None:
    write_apk(apk, None, {"classes.dex": bytes(range(256))})
    assert "not a DEX file" in obstacle(apk)


def test_one_damaged_dex_of_several_is_noted(apk: Path) -> None:
    inspection = inspect_apk(write_apk(apk, None, {"classes2.dex": b"dex\n035\0"}))
    assert inspection.limits.obstacles == ()
    assert "classes2.dex is not a DEX file" in inspection.limits.notes[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"hello", "not a ZIP file"),
        (b"PK\x03\x04 and no more", "cut short or damaged"),
    ],
)
def test_refuses_what_is_no_zip(apk: Path, content: bytes, reason: str) -> None:
    apk.write_bytes(content)
    with pytest.raises(ApkError, match=reason):
        read_apk(apk)


def test_names_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_apk(tmp_path / "absent.apk")
    with pytest.raises(UsageError, match="folder"):
        read_apk(tmp_path)


def test_refuses_a_zip_without_manifest(apk: Path) -> None:
    with pytest.raises(ApkError, match=r"no AndroidManifest\.xml"):
        read_apk(write_zip(apk, {"classes.dex": dex()}))


@pytest.mark.slow
@pytest.mark.usefixtures("in_child")
def test_the_child_process_answers_as_its_functions_do() -> None:
    with zipfile.ZipFile(SAMPLES / "shop.apk") as archive:
        resources = archive.read("resources.arsc")
        sound = {"manifest": archive.read("AndroidManifest.xml"), "resources": resources, "at_most": b"50"}
    for task in TASKS:
        assert decoding.decode_in_child(task, sound, "it") == decode_here(task, sound, "it") != []
    for broken in ({"manifest": b"noise"}, {"manifest": sound["manifest"][:-9]}):
        answers = []
        for decode in (decoding.decode_in_child, decode_here):
            with pytest.raises(ApkError) as refused:
                decode("manifest", broken, "it")
            answers.append(str(refused.value))
        assert answers[0] == answers[1]


def test_refuses_a_manifest_in_plain_text(apk: Path) -> None:
    with pytest.raises(ApkError, match="plain text"):
        read_apk(write_apk(apk, b"<?xml version='1.0'?><manifest/>"))


def test_refuses_a_manifest_without_package(apk: Path) -> None:
    with pytest.raises(ApkError, match="no package"):
        read_apk(write_apk(apk, compile_xml(Tag("manifest"))))


@pytest.mark.parametrize("base", ["base.apk", "splits/base-master.apk"])
def test_a_bundle_says_which_file_to_give(apk: Path, base: str) -> None:
    write_zip(apk, {base: b"", "config.en.apk": b""})
    with pytest.raises(UnsupportedApp, match=f"give {base}"):
        read_apk(apk)


def test_an_xapk_names_its_base_by_the_package(apk: Path) -> None:
    write_zip(apk, {"manifest.json": b'{"package_name": "a.b"}', "a.b.apk": b"", "config.en.apk": b""})
    with pytest.raises(UnsupportedApp, match=r"give a\.b\.apk"):
        read_apk(apk)


def test_refuses_a_bomb_before_unpacking_it(apk: Path) -> None:
    with zipfile.ZipFile(apk, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(60):
            archive.writestr(f"res/{number}", bytes(1 << 20))
    with pytest.raises(ApkError, match="bomb"):
        read_apk(apk)


@pytest.mark.slow
def test_refuses_an_entry_that_unpacks_to_more_than_it_says(apk: Path) -> None:
    write_apk(apk, bytes(40 << 20))
    data = bytearray(apk.read_bytes())
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 100)  # the directory claims a hundred bytes
    apk.write_bytes(data)
    with pytest.raises(ApkError, match="unpacks to more"):
        read_apk(apk)


def test_ignores_the_encryption_flag_as_android_does(apk: Path) -> None:
    write_apk(apk)
    data = bytearray(apk.read_bytes())
    at = 0
    while (at := data.find(b"PK\x01\x02", at + 1)) > 0:
        data[at + 8] |= 1
    apk.write_bytes(data)
    assert read_apk(apk).package == "com.example"


def test_no_cut_of_a_file_gives_anything_but_our_errors(apk: Path, tmp_path: Path) -> None:
    whole = write_apk(apk).read_bytes()
    part = tmp_path / "part.apk"
    for length in range(0, len(whole), 7):
        part.write_bytes(whole[:length])
        with pytest.raises(ApkError):
            read_apk(part)


@pytest.mark.slow
def test_no_changed_byte_gives_anything_but_our_errors(tmp_path: Path) -> None:
    # Stored, not deflated, so that a changed byte reaches the decoders behind the ZIP layer.
    path = tmp_path / "app.apk"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "AndroidManifest.xml", manifest(activity(".Main", LAUNCHER), application={"label": 0x7F010000})
        )
        archive.writestr("classes.dex", dex())
    whole = path.read_bytes()
    chance = random.Random(3)
    for _ in range(500):
        changed = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        path.write_bytes(changed)
        try:
            inspect_apk(path)
        except FewtapsError:
            continue


@pytest.mark.slow
@pytest.mark.usefixtures("in_child")
def test_a_table_that_keeps_the_decoder_busy_costs_the_label_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "SECONDS", 1)
    path = tmp_path / "app.apk"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "AndroidManifest.xml", manifest(activity(".Main", LAUNCHER), application={"label": 0x7F010000})
        )
        archive.writestr("classes.dex", dex())
        archive.writestr("resources.arsc", struct.pack("<HHII", 2, 12, 12 + (40 << 20), 1) + bytes(40 << 20))
    assert read_apk(path).label == ""


def test_sizes_and_offsets_beyond_any_file_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "app.apk"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("AndroidManifest.xml", manifest(activity(".Main", LAUNCHER)))
    whole = path.read_bytes()
    at = whole.index(b"PK\x01\x02")
    for place, size in ((20, 4), (24, 4), (42, 4)):
        changed = bytearray(whole)
        changed[at + place : at + place + size] = b"\xfe" * size
        path.write_bytes(changed)
        with pytest.raises(ApkError) as refusal:
            read_apk(path)
        assert "\n" not in str(refusal.value)


def test_a_file_of_code_with_an_endless_number_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "app.apk"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("AndroidManifest.xml", manifest(activity(".Main", LAUNCHER)))
        archive.writestr("classes.dex", dex())
        archive.writestr(f"classes{'9' * 5000}.dex", dex())
    assert read_apk(path).dex_files == ("classes.dex",)


def test_an_xapk_whose_description_is_nested_too_deeply_is_refused(apk: Path) -> None:
    write_zip(apk, {"manifest.json": b"[" * 100_000, "a.b.apk": b"", "config.en.apk": b""})
    with pytest.raises(ApkError):
        read_apk(apk)
