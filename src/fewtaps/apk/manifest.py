"""AndroidManifest.xml as values, with absolute names, resolved references and marks on disabled components."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fewtaps.apk.xml import Element, Reference, Value
from fewtaps.errors import ApkError

MAIN_ACTION = "android.intent.action.MAIN"
# In order of preference; a television app has only the second.
LAUNCHER_CATEGORIES = ("android.intent.category.LAUNCHER", "android.intent.category.LEANBACK_LAUNCHER")

NO_SDK = 1 << 31
CODENAMES = {"L": 21, "M": 23, "N": 24, "O": 26, "P": 28, "Q": 29, "R": 30, "S": 31, "T": 33, "U": 34, "V": 35, "B": 36}
Resolve = Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Declared:
    """An activity, activity alias, service, receiver or provider; `target` is the class behind an alias, else its own.

    `launcher` is the category that puts it on a home screen, None if it is on none.
    """

    kind: str
    name: str
    target: str
    enabled: bool
    exported: bool
    launcher: str | None = None
    actions: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    authorities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """The fields of a manifest that Fewtaps uses."""

    package: str
    version_name: str
    version_code: int
    min_sdk: int
    target_sdk: int
    max_sdk: int | None
    label: str | None
    application: str | None
    has_code: bool
    large_heap: bool
    split: str | None
    required_splits: bool
    permissions: tuple[str, ...]
    libraries: tuple[str, ...]
    instrumented: str | None
    components: tuple[Declared, ...]

    def launchers(self) -> tuple[Declared, ...]:
        """The enabled components that a home screen would list, in the order of `LAUNCHER_CATEGORIES`."""
        return tuple(
            component
            for category in LAUNCHER_CATEGORIES
            for component in self.components
            if component.enabled and component.launcher == category
        )

    def of_kind(self, *kinds: str) -> tuple[Declared, ...]:
        """The components of these kinds, in the order of the manifest."""
        return tuple(component for component in self.components if component.kind in kinds)


def read_manifest(root: Element, resolve: Resolve, label: str) -> Manifest:
    """Reads the decoded root element; `ApkError` if it is not a manifest or names no package."""
    if root.name != "manifest":
        raise ApkError(f"{label} has no <manifest> element but <{root.name}>")
    reader = _Reader(root, resolve)
    if not reader.package:
        raise ApkError(f"{label} names no package")
    return reader.manifest()


class _Reader:
    def __init__(self, root: Element, resolve: Resolve) -> None:
        self._root = root
        self._resolve = resolve
        self.package = self._text(root.attributes.get("package")) or ""

    def manifest(self) -> Manifest:
        root = self._root
        application = next(iter(root.all("application")), Element("application", {}))
        min_sdk, target_sdk, max_sdk = self._sdks()
        name = self._text(application.attributes.get("name"))
        label = self._text(application.attributes.get("label"))
        return Manifest(
            package=self.package,
            version_name=self._text(root.attributes.get("versionName")) or "",
            version_code=self._number(root.attributes.get("versionCode"), 0),
            min_sdk=min_sdk,
            target_sdk=target_sdk,
            max_sdk=max_sdk,
            label=label,
            application=self._absolute(name) if name else None,
            has_code=self._flag(application.attributes.get("hasCode"), True),
            large_heap=self._flag(application.attributes.get("largeHeap"), False),
            split=self._text(root.attributes.get("split")),
            required_splits=self._needs_splits(application),
            permissions=self._names(root.all("uses-permission", "uses-permission-sdk-23", "uses-permission-sdk-m")),
            libraries=self._names(each for each in application.all("uses-library") if self._required(each)),
            instrumented=self._instrumented(),
            components=self._components(application),
        )

    def _sdks(self) -> tuple[int, int, int | None]:
        sdks = self._root.all("uses-sdk")
        minimum = max((self._number(sdk.attributes.get("minSdkVersion"), 1) for sdk in sdks), default=1)
        target = max((self._number(sdk.attributes.get("targetSdkVersion"), 0) for sdk in sdks), default=0)
        maximum = min((self._number(sdk.attributes.get("maxSdkVersion"), NO_SDK) for sdk in sdks), default=NO_SDK)
        return minimum, target or minimum, None if maximum == NO_SDK else maximum

    def _needs_splits(self, application: Element) -> bool:
        attributes = self._root.attributes
        if self._flag(attributes.get("isSplitRequired"), False) or self._text(attributes.get("requiredSplitTypes")):
            return True
        for data in application.all("meta-data"):
            if self._text(data.attributes.get("name")) == "com.android.vending.splits.required":
                return self._flag(data.attributes.get("value"), False)
        return False

    def _instrumented(self) -> str | None:
        for element in self._root.all("instrumentation"):
            return self._text(element.attributes.get("targetPackage"))
        return None

    def _components(self, application: Element) -> tuple[Declared, ...]:
        app_enabled = self._flag(application.attributes.get("enabled"), True)
        kinds = ("activity", "activity-alias", "service", "receiver", "provider")
        return tuple(
            component
            for element in application.all(*kinds)
            if (component := self._component(element, app_enabled)) is not None
        )

    def _component(self, element: Element, app_enabled: bool) -> Declared | None:
        name = self._text(element.attributes.get("name"))
        if not name:
            return None
        target = self._text(element.attributes.get("targetActivity")) or name
        filters = element.all("intent-filter")
        authorities = self._text(element.attributes.get("authorities")) or ""
        return Declared(
            kind=element.name,
            name=self._absolute(name),
            target=self._absolute(target),
            enabled=app_enabled and self._flag(element.attributes.get("enabled"), True),
            exported=self._flag(element.attributes.get("exported"), bool(filters)),
            launcher=self._launcher(filters) if element.name in ("activity", "activity-alias") else None,
            actions=self._names(action for each in filters for action in each.all("action")),
            categories=self._names(category for each in filters for category in each.all("category")),
            authorities=tuple(part for part in authorities.split(";") if part),
        )

    def _launcher(self, filters: Iterable[Element]) -> str | None:
        found: set[str] = set()
        for intent_filter in filters:
            if MAIN_ACTION in self._names(intent_filter.all("action")):
                found.update(self._names(intent_filter.all("category")))
        return next((category for category in LAUNCHER_CATEGORIES if category in found), None)

    def _names(self, elements: Iterable[Element]) -> tuple[str, ...]:
        texts = (self._text(element.attributes.get("name")) for element in elements)
        return tuple(dict.fromkeys(text for text in texts if text))

    def _required(self, element: Element) -> bool:
        return self._flag(element.attributes.get("required"), True)

    def _absolute(self, name: str) -> str:
        if name.startswith("."):
            return self.package + name
        return name if "." in name else f"{self.package}.{name}"

    def _text(self, value: Value | None) -> str | None:
        if isinstance(value, Reference):
            return self._resolve(value.resource)
        return None if value is None else str(value).strip()

    def _number(self, value: Value | None, default: int) -> int:
        if isinstance(value, Reference):
            value = self._resolve(value.resource)
        text = "" if value is None else str(value).strip()
        try:
            return int(text, 16 if text[:2].lower() == "0x" else 10) if text else default
        except ValueError:
            # A preview of Android has a code name ("Q", "Tiramisu") in place of an API level.
            return CODENAMES.get(text[:1].upper(), default)

    def _flag(self, value: Value | None, default: bool) -> bool:
        if isinstance(value, Reference):
            value = self._resolve(value.resource)
        if value is None or value == "":
            return default
        if isinstance(value, str):
            return value.strip().lower() in ("true", "1", "-1", "0xffffffff")
        return bool(value)
