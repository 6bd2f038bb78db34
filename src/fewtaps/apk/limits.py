"""Finds, without running the app, the parts of it that the twin cannot run.

An *obstacle* is a reason why no useful screen can appear; a *note* names a part that will be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fewtaps.apk.manifest import Manifest
from fewtaps.apk.pieces import SPLITS


@dataclass(frozen=True, slots=True)
class AppLimits:
    """Obstacles and notes, one line of text each."""

    obstacles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


# Superclasses of activities whose whole screen is drawn by native code, with the engine's product name.
NATIVE_ACTIVITIES: Mapping[str, str] = {
    "android.app.NativeActivity": "Android's NativeActivity",
    "com.google.androidgamesdk.GameActivity": "Android's GameActivity",
    "com.unity3d.player.UnityPlayerActivity": "Unity",
    "com.unity3d.player.UnityPlayerGameActivity": "Unity",
    "com.unity3d.player.UnityPlayerNativeActivity": "Unity",
    "com.unity3d.player.UnityPlayerProxyActivity": "Unity",
    "io.flutter.app.FlutterActivity": "Flutter",
    "io.flutter.app.FlutterFragmentActivity": "Flutter",
    "io.flutter.embedding.android.FlutterActivity": "Flutter",
    "io.flutter.embedding.android.FlutterFragmentActivity": "Flutter",
    "com.facebook.react.ReactActivity": "React Native",
    "com.epicgames.ue4.GameActivity": "Unreal Engine",
    "com.epicgames.unreal.GameActivity": "Unreal Engine",
    "org.cocos2dx.lib.Cocos2dxActivity": "Cocos2d-x",
    "com.cocos.lib.CocosActivity": "Cocos Creator",
    "org.godotengine.godot.Godot": "Godot",
    "org.godotengine.godot.GodotActivity": "Godot",
    "org.godotengine.godot.FullScreenGodotApp": "Godot",
    "com.badlogic.gdx.backends.android.AndroidApplication": "libGDX",
    "org.libsdl.app.SDLActivity": "SDL",
    "org.kivy.android.PythonActivity": "Kivy",
    "org.renpy.android.PythonSDLActivity": "Ren'Py",
    "org.qtproject.qt5.android.bindings.QtActivity": "Qt",
    "org.qtproject.qt.android.bindings.QtActivity": "Qt",
    "org.kde.necessitas.origo.QtActivity": "Qt",
    "com.ansca.corona.CoronaActivity": "Corona",
    "com.yoyogames.runner.RunnerActivity": "GameMaker",
    "com.tns.NativeScriptActivity": "NativeScript",
    "org.love2d.android.GameActivity": "LÖVE",
    "org.golang.app.GoNativeActivity": "Go Mobile",
}

# Native libraries that run all of the app's own code.
WHOLE_APP_LIBRARIES: Mapping[str, str] = {
    "libmonodroid.so": "Xamarin (.NET code, run by a native library)",
    "libmono-android.release.so": "Xamarin (.NET code, run by a native library)",
}

# Native libraries that draw part of an app.
ENGINE_LIBRARIES: Mapping[str, str] = {
    "libunity.so": "Unity",
    "libflutter.so": "Flutter",
    "libreactnativejni.so": "React Native",
    "libreactnative.so": "React Native",
    "libgdx.so": "libGDX",
    "libgodot_android.so": "Godot",
    "libxwalkcore.so": "Crosswalk",
}

# Parts of a phone that the twin lacks, by the permission that an app needs for them.
ABSENT_PARTS: Mapping[str, str] = {
    "android.permission.INTERNET": "there is no network: the app is offline, or gets made-up answers (--network faked)",
    "android.permission.CAMERA": "the camera has no picture",
    "android.permission.ACCESS_FINE_LOCATION": "there is no position",
    "android.permission.ACCESS_COARSE_LOCATION": "there is no position",
    "android.permission.RECORD_AUDIO": "there is no microphone",
    "android.permission.BLUETOOTH": "there is no Bluetooth",
    "android.permission.BLUETOOTH_CONNECT": "there is no Bluetooth",
    "android.permission.NFC": "there is no NFC",
}

# Packages of Instant Run, which Android Studio 2 and 3 added to debug builds to replace code in the running app.
INSTANT_RUN_CLASSES = ("com.android.tools.fd.", "com.android.tools.ir.")

# Files of code packers, as patterns over paths inside the APK.
PACKERS: Sequence[tuple[str, str]] = (
    (r"lib/[^/]+/libjiagu.*\.so|assets/libjiagu.*\.so", "360 Jiagu"),
    (r"lib/[^/]+/libsec(exe|main|shell)\.so|assets/bangcle.*|assets/bangcleplugin/.*", "Bangcle"),
    (r"lib/[^/]+/libDexHelper.*\.so|assets/libDexHelper.*\.so", "SecNeo"),
    (
        r"lib/[^/]+/lib(shell|shella|shellx|tup|legudb|tosprotection).*\.so|tencent_stub|assets/tosversion",
        "Tencent Legu",
    ),
    (r"assets/ijiami\.(dat|ajm)|lib/[^/]+/libexec(main)?\.so|assets/ijm_lib/.*", "Ijiami"),
    (r"lib/[^/]+/libbaiduprotect.*\.so|assets/baiduprotect.*", "Baidu Protect"),
    (r"lib/[^/]+/(libmobisec|libsgmain|libpreverify1|libaliutils)\.so", "Alibaba"),
    (r"lib/[^/]+/(libnqshield|libnesec|libAPKProtect|libkwscmm|libitsec|libx3g|libapssec|libuusafe)\.so", "a packer"),
    (r"lib/[^/]+/libcovault-appsec\.so|assets/AppSealing/.*|assets/appsealing\..*", "AppSealing"),
    (r"assets/classes\.dex\.dat|lib/[^/]+/libdexprotector.*\.so|assets/dp\..*\.dex", "DexProtector"),
    (r"lib/[^/]+/libLIAPPClient\.so|assets/LIAPP.*", "LIAPP"),
    (r"assets/(dexmaker|encrypted|payload|protected)[^/]*\.(dex|jar|dat)", "a packer"),
)


def find_limits(
    manifest: Manifest,
    superclasses: Mapping[str, str],
    names: Sequence[str],
    dex_files: Sequence[str],
    *,
    is_code_readable: bool = True,
) -> AppLimits:
    """Finds the limits from the manifest, the classes in the DEX files, and the names of all files.

    If the code is not readable, a missing first activity is not an obstacle of its own.
    """
    obstacles: list[str] = []
    notes: list[str] = []
    libraries = {name.rpartition("/")[2] for name in names if name.startswith("lib/") and name.endswith(".so")}
    if manifest.split is not None:
        obstacles.append(f"it is the part '{manifest.split}' of a split APK and cannot run without its base APK")
    elif manifest.instrumented not in (None, manifest.package) and not manifest.launchers():
        obstacles.append(f"it is a test package for {manifest.instrumented}, not an app")
    elif not dex_files:
        obstacles.append(_without_dex(manifest, libraries))
    else:
        obstacles += _hidden_code(manifest, superclasses, names, is_code_readable)
        obstacles += _native_screens(manifest, superclasses, libraries)
        if not obstacles and not manifest.launchers():
            obstacles.append("it has no launcher activity: there is no icon to start it by")
    if manifest.required_splits and manifest.split is None and not any(name.startswith(SPLITS) for name in names):
        notes.append("it was delivered with further split APKs: their resources and libraries are missing here")
    notes += _native_notes(libraries)
    notes += _shared_libraries(manifest)
    notes += [note for permission, note in ABSENT_PARTS.items() if permission in manifest.permissions]
    notes += _absent_services(superclasses)
    return AppLimits(tuple(dict.fromkeys(obstacles)), tuple(dict.fromkeys(notes)))


def _without_dex(manifest: Manifest, libraries: set[str]) -> str:
    if libraries:
        return "it is native-only: there is no DEX code, only native libraries"
    if not manifest.has_code:
        return "it has no code (a theme, a resource package, or a split APK without its base)"
    return "it has no DEX file, so there is no code to run"


def _hidden_code(
    manifest: Manifest, superclasses: Mapping[str, str], names: Sequence[str], is_code_readable: bool
) -> list[str]:
    wanted = [each.target for each in manifest.of_kind("activity") if each.enabled]
    missing = [name for name in wanted if name not in superclasses]
    packer = _packer(names)
    launcher = next(iter(manifest.launchers()), None)
    entry_missing = launcher is not None and launcher.target not in superclasses
    application_missing = manifest.application is not None and manifest.application not in superclasses
    mostly_missing = len(wanted) > 0 and 2 * len(missing) > len(wanted)
    if packer and (entry_missing or mostly_missing or application_missing):
        return [f"its code is encrypted: {packer} unpacks it with native code when the app starts"]
    if entry_missing and any(name.startswith(INSTANT_RUN_CLASSES) for name in superclasses):
        return ["it was built for Android Studio's Instant Run: its code is in further APKs, installed beside this one"]
    if is_code_readable and launcher is not None and entry_missing and not _platform_class(launcher.target):
        return [f"its DEX files do not contain its first activity, {launcher.target} (packed or incomplete APK)"]
    return []


def _native_screens(manifest: Manifest, superclasses: Mapping[str, str], libraries: set[str]) -> list[str]:
    found = [
        f"it is native-only: {WHOLE_APP_LIBRARIES[name]}" for name in sorted(libraries & WHOLE_APP_LIBRARIES.keys())
    ]
    launcher = next(iter(manifest.launchers()), None)
    for ancestor in _ancestors(launcher.target, superclasses) if launcher else ():
        if ancestor in NATIVE_ACTIVITIES:
            found.append(
                f"it is native-only: its first screen is drawn by {NATIVE_ACTIVITIES[ancestor]}, in native code"
            )
    return found


def _ancestors(name: str, superclasses: Mapping[str, str]) -> Iterable[str]:
    seen: set[str] = set()
    while name and name not in seen:
        yield name
        seen.add(name)
        name = superclasses.get(name, "")


def _packer(names: Sequence[str]) -> str | None:
    for pattern, packer in PACKERS:
        expression = re.compile(pattern, re.IGNORECASE)
        if any(expression.fullmatch(name) for name in names):
            return packer
    return None


def _native_notes(libraries: set[str]) -> list[str]:
    engines = sorted({ENGINE_LIBRARIES[name] for name in libraries & ENGINE_LIBRARIES.keys()})
    notes = [f"screens drawn by {engine} stay empty" for engine in engines]
    if libraries:
        shown = ", ".join(sorted(libraries)[:8]) + (", …" if len(libraries) > 8 else "")
        notes.append(f"{len(libraries)} native {_plural(len(libraries), 'library', 'libraries')} cannot run: {shown}")
    return notes


def _shared_libraries(manifest: Manifest) -> list[str]:
    known = {"org.apache.http.legacy", "android.test.runner", "android.test.base", "android.test.mock"}
    absent = [name for name in manifest.libraries if name not in known]
    return [f"the phone's shared library {name} is not there" for name in absent]


def _absent_services(superclasses: Mapping[str, str]) -> list[str]:
    notes = []
    if "com.google.android.gms.common.GoogleApiAvailability" in superclasses:
        notes.append("Google Play services are not there")
    if "android.webkit.WebViewClient" in superclasses.values():
        notes.append("web pages are shown without scripts and styles")
    return notes


def _platform_class(name: str) -> bool:
    return name.startswith(("android.", "com.android.internal."))


def _plural(count: int, one: str, many: str) -> str:
    return one if count == 1 else many
