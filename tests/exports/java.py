"""Compiles and runs exported Java tests with the jars that the twin has: the pinned compiler, JUnit, Robolectric."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fewtaps.device.twin.jars import JarStore
from fewtaps.device.twin.runtime import TwinRuntime, compile_time_android, empty_interface, prepare

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TIMEOUT_SECONDS = 900
API = 28

# Both classes of a sample app and its resources are those of the APK, as a build of the app would put them.
CONVERTER = """
public class ToJar {
  public static void main(String[] files) throws Exception {
    for (int i = 0; i < files.length; i += 2) {
      com.googlecode.d2j.dex.Dex2jar.from(new java.io.File(files[i]))
          .skipDebug(false)
          .to(java.nio.file.Paths.get(files[i + 1]));
    }
  }
}
"""


@cache
def runtime() -> TwinRuntime:
    """Java and the jars, fetched if they are not there."""
    return prepare(API)


@cache
def newer_android() -> Path:
    """Empty stand-ins for what Robolectric's shadows know and the pinned Android is too old for.

    An app is compiled against a newer Android than the level that the test asks for.
    """
    (framework,) = (jar for jar in runtime().class_path if "shadows-framework" in jar.name)
    with zipfile.ZipFile(framework) as shadows, zipfile.ZipFile(runtime().android) as android:
        content = b"".join(shadows.read(name) for name in shadows.namelist() if name.endswith(".class"))
        wanted = {name.decode() for name in re.findall(rb"(?:L|\x00.)(android/[\w/$]+)(?=[;\x00-\x1f])", content)}
        missing = sorted(wanted - {name.removesuffix(".class") for name in android.namelist()})
    folder = Path(tempfile.mkdtemp(prefix="fewtaps-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in missing:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.class").write_bytes(empty_interface(name))
    return folder


def compile_java(sources: Sequence[Path], classes: Path, *more: Path) -> str:
    """Compiles against Android, JUnit, Robolectric and what else is named; gives the compiler's complaints, if any."""
    store = JarStore()
    (compiler,) = store.ensure("compile")
    path = (*more, compile_time_android(store), newer_android(), *runtime().class_path)
    command = [str(runtime().java.launcher), "-XX:TieredStopAtLevel=1", "-cp", str(compiler)]
    command += [
        "org.eclipse.jdt.internal.compiler.batch.Main",
        "-17",
        "-g",
        "-nowarn",
        "-proc:none",
        "-encoding",
        "UTF-8",
    ]
    command += ["-d", str(classes), "-cp", os.pathsep.join(map(str, path)), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@dataclass(frozen=True, slots=True)
class Failure:
    """How a test failed: the exception's class, and the frames of its stack."""

    exception: str
    frames: tuple[str, ...]


def convert_samples(names: Sequence[str], folder: Path) -> dict[str, Path]:
    """The classes of sample apps as jars."""
    source = folder / "ToJar.java"
    source.write_text(CONVERTER, "utf-8")
    problems = compile_java([source], folder / "converter")
    assert not problems, problems
    jars = {name: folder / f"{name}.jar" for name in names}
    path = os.pathsep.join(map(str, (folder / "converter", *runtime().class_path)))
    files = [str(file) for name, jar in jars.items() for file in (SAMPLES / f"{name}.apk", jar)]
    command = [str(runtime().java.launcher), "-cp", path, "ToJar", *files]
    subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=True)
    return jars


def run_test(test: str, classes: Path, sample: str, jar: Path, folder: Path) -> tuple[str, Failure | None]:
    """Runs a JUnit test against a sample as Gradle would; what was printed, and the failure if there was one."""
    config = folder / f"config-{sample}"
    (config / "com/android/tools").mkdir(parents=True, exist_ok=True)
    (config / "com/android/tools/test_config.properties").write_text(
        f"android_merged_manifest={SAMPLES / sample / 'AndroidManifest.xml'}\n"
        f"android_resource_apk={SAMPLES / f'{sample}.apk'}\n",
        "utf-8",
    )
    (config / "robolectric.properties").write_text(f"sdk={API}\n", "utf-8")
    given = runtime().command()
    options = given[1 : given.index("-cp")]
    path = (config, classes, jar, *runtime().class_path, runtime().android, newer_android())
    command = [
        given[0],
        *options,
        f"-Djava.io.tmpdir={folder}",
        "-Drobolectric.conscryptMode=OFF",
        "-cp",
        os.pathsep.join(map(str, path)),
    ]
    done = subprocess.run(
        [*command, "org.junit.runner.JUnitCore", test],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
        cwd=folder,
    )
    text = done.stdout + done.stderr
    return text, None if done.returncode == 0 else _failure(done.stdout)


def _failure(text: str) -> Failure | None:
    """The innermost cause of the first failure that JUnit printed."""
    found = re.search(r"^1\) .*\n((?:.*\n)*?)\n", text, re.MULTILINE)
    if found is None:
        return None
    *_, cause = re.split(r"^Caused by: ", found[1], flags=re.MULTILINE)
    exception = cause.partition("\n")[0].partition(":")[0].strip()
    return Failure(exception, tuple(re.findall(r"^\s+at ([\w.$<>]+)\(", cause, re.MULTILINE)))
