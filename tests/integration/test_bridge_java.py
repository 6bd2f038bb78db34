"""The bridge's own tests, written in Java: compiled with the pinned compiler and run with JUnit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from integration.conftest import SAMPLES

from fewtaps.device.twin.jars import JarStore
from fewtaps.device.twin.runtime import prepare

SOURCES = Path(__file__).resolve().parents[2] / "bridge" / "src" / "test" / "java"
TIMEOUT_SECONDS = 900


@pytest.mark.timeout(900)
@pytest.mark.jvm
def test_the_java_tests_of_the_bridge_pass(tmp_path: Path) -> None:
    store = JarStore()
    runtime = prepare()
    (compiler,) = store.ensure("compile")
    jars = (runtime.bridge, *runtime.class_path, *store.ensure("samples"), runtime.android)
    class_path = os.pathsep.join(map(str, jars))
    classes = tmp_path / "classes"
    java = str(runtime.java.launcher)
    compile_command = [java, "-cp", str(compiler), "org.eclipse.jdt.internal.compiler.batch.Main", "-17", "-g"]
    # Android's jar brings a java.* of its own, which a modular compiler refuses to see twice: it is for running only.
    compile_path = os.pathsep.join(map(str, jars[:-1]))
    compile_command += ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", str(classes), "-cp", compile_path]
    compiled = subprocess.run(
        [*compile_command, str(SOURCES)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )
    assert compiled.returncode == 0, compiled.stderr

    tests = sorted(
        path.relative_to(SOURCES).with_suffix("").as_posix().replace("/", ".") for path in SOURCES.rglob("*Test.java")
    )
    assert tests
    # The JVM's options of the product, so that what passes here holds there.
    command = runtime.command()
    options = command[1 : command.index("-cp")]
    run = [java, *options, f"-Djava.io.tmpdir={tmp_path}", f"-Dfewtaps.samples={SAMPLES}"]
    run += ["-cp", os.pathsep.join((str(classes), class_path))]
    ran = subprocess.run(
        [*run, "org.junit.runner.JUnitCore", *tests],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
