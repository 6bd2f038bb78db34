"""The actions of screens: found by name or by the event that came of them, with what the texts of a screen mention."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from sys import intern

from fewtaps.explore.actions import Action, ActionKind
from fewtaps.explore.hints import mentioned_kinds, mentioned_sequences, readable_lines
from fewtaps.explore.ids import ActionGroup, ActionName, FieldId, ShapeId
from fewtaps.explore.naming import activity_of, is_in_front, own_name, page_of, walk
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.scores import OfferedAction
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import ValueClass, class_of, text_kind
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Pinch, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Screen, Widget, WidgetFlags, Window

_ON = int(WidgetFlags.CHECKED | WidgetFlags.SELECTED)


class ScreenActions:
    """The actions of one screen.

    `context` is what the state of a screen leaves out and what may change the effect of an action: the rotation, and
    the kind of text in each field. `shape` is shared by all screens that offer the same groups of actions, have the
    same kinds of texts in their fields, and show the same kinds of texts: by two pages of a book, but not by a full and
    an empty list. The rotation is not part of it. `page` is the activity with the dialog in front of it, `activity` the
    activity alone.
    """

    __slots__ = (
        *("_by_name", "_by_target", "_hinted", "_parameters", "_screen", "_valued"),
        *("actions", "activity", "context", "offered", "page", "shape", "taps", "texts"),
    )

    def __init__(self, screen: Screen, parameters: ExploreParameters = DEFAULT_PARAMETERS) -> None:
        self._screen = screen
        self._parameters = parameters
        self.actions = actions = actions_on(screen, parameters.actions)
        self.taps = tuple(action for action in actions if action.kind is ActionKind.TAP)
        self.texts = tuple(action for action in actions if action.kind is ActionKind.TEXT)
        field_kinds = self._field_kinds()
        self.context = ("~" if screen.rotation % 2 else "") + field_kinds
        self.shape = self._shape(field_kinds)
        self.activity = activity_of(screen)
        self.page = page_of(screen, _window(screen), parameters.actions)
        # Interned, because thousands of places offer the same actions.
        self.offered = tuple(
            OfferedAction(ActionName(intern(each.name)), ActionGroup(intern(each.group)), each.chance, each.is_button)
            for each in actions
        )
        self._valued: tuple[OfferedAction, ...] | None = None
        self._hinted: tuple[tuple[ActionName, ...], ...] | None = None
        self._by_name: dict[ActionName, Action] | None = None
        self._by_target: dict[tuple[ActionKind, object, str], Action] | None = None

    # The attributes that are None at first are assigned when complete: several threads may read them at once.

    @property
    def valued(self) -> tuple[OfferedAction, ...]:
        """The actions that count for the potential of a place with this screen, with their weights there."""
        if self._valued is None:
            numbers = self._parameters.places
            factor = 1.0 if self._screen.rotation % 2 == 0 else numbers.rotated
            self._valued = tuple(
                each._replace(chance=each.chance * factor)
                for each in self.offered
                if each.chance >= numbers.least_weight
            )
        return self._valued

    @property
    def hinted(self) -> tuple[tuple[ActionName, ...], ...]:
        """The names of actions that the texts on the screen mention; several together where they are a sequence."""
        if self._hinted is None:
            numbers = self._parameters.hints
            lines = readable_lines(self._screen, in_front=True, numbers=numbers)
            labels: dict[str, ActionName] = {}
            for tap in self.taps:
                label = tap.located.widget.label if tap.located else None
                if label and len(label) <= numbers.longest_label:
                    labels.setdefault(label.lower(), tap.name)
            kinds = mentioned_kinds(lines)
            single = ((each.name,) for each in self.actions if each.kind in kinds)
            self._hinted = (*mentioned_sequences(lines, labels, numbers), *single)
        return self._hinted

    def named(self, name: ActionName) -> Action | None:
        """The action of this name, if the screen offers it."""
        if self._by_name is None:
            self._by_name = {action.name: action for action in self.actions}
        return self._by_name.get(name)

    def typing(self, field: FieldId | None, value_class: ValueClass) -> Action | None:
        """The action that types a value of the class into the field, if the screen offers it."""
        return next((each for each in self.texts if each.field == field and each.argument == value_class.value), None)

    def action_of(self, event: Event) -> Action | None:
        """The action that the event came of; None if it came of none."""
        if self._by_target is None:
            self._by_target = {_target(action): action for action in reversed(self.actions)}
        selector = getattr(event, "selector", None)
        path = selector.path if selector else None
        for kind, argument in self._origins(event):
            found = self._by_target.get((kind, path, argument))
            if found is not None:
                return found
        return None

    def is_left_for(self, after: ScreenActions) -> bool:
        """Whether `after` is another activity, has none of the fields, or is the activity behind this dialog."""
        if self._screen.activity != after._screen.activity:
            return True
        if self.texts and not {each.name for each in self.texts} & {each.name for each in after.texts}:
            return True
        return is_in_front(_window(self._screen)) and not is_in_front(_window(after._screen))

    def _field_kinds(self) -> str:
        """One letter for the kind of text in each field."""
        kinds = (
            text_kind(action.located.widget.text, self._parameters.texts)
            for action in self.texts
            if action.argument == ValueClass.FITTING.value and action.located is not None
        )
        return "".join(islice(kinds, self._parameters.places.max_fields))

    def _shape(self, field_kinds: str) -> ShapeId:
        window = _window(self._screen)
        widgets = walk(window.root if window else None, self._parameters.actions.max_widgets)
        kinds = {f"{own_name(widget)}{self._text_kind(widget)}" for widget in widgets}
        content = "\n".join((field_kinds, *sorted({action.group for action in self.actions}), *sorted(kinds)))
        return ShapeId(hashlib.blake2b(content.encode(errors="surrogatepass"), digest_size=8).hexdigest())

    def _text_kind(self, widget: Widget) -> str:
        """Whether it is on, and the kind of its text."""
        on = "+" if int(widget.flags) & _ON else ""
        if widget.text or (not widget.children and widget.class_name.endswith("TextView")):
            return f"{on}={text_kind(widget.text, self._parameters.texts)}"
        return on

    def _origins(self, event: Event) -> Iterator[tuple[ActionKind, str]]:
        """Kinds and arguments of the actions that an event may have come of, the likeliest first."""
        match event:
            case Tap():
                yield ActionKind.TAP, ""
                yield ActionKind.SLIDE, ""
                yield ActionKind.POINT, ""
                yield ActionKind.POINT, "anywhere"
            case LongPress():
                yield ActionKind.LONG_PRESS, ""
            case DoubleTap():
                yield ActionKind.DOUBLE_TAP, ""
            case Text():
                yield ActionKind.TEXT, class_of(event.text, self._parameters.texts).value
            case Swipe():
                direction = _direction(event)
                if min(event.x1, self._screen.width - 1 - event.x1) <= 2:
                    yield ActionKind.EDGE, direction
                yield ActionKind.SCROLL, direction
                yield ActionKind.STROKE, "across"
                yield ActionKind.STROKE, "anyhow"
            case Pinch():
                yield ActionKind.PINCH, ""
            case Rotate():
                yield ActionKind.ROTATE, ""
            case Wait():
                yield ActionKind.WAIT, str(event.ms)
            case Key():
                kind = _KEY_KINDS.get(event.name, ActionKind.KEY)
                yield kind, "" if kind is ActionKind.KEY else event.name


class ActionCache:
    """The actions of the screens seen last: the same screen comes back often."""

    def __init__(self, parameters: ExploreParameters = DEFAULT_PARAMETERS) -> None:
        self._parameters = parameters
        self._most = parameters.places.max_cached_screens
        self._known: dict[int, ScreenActions] = {}
        self._valued: dict[tuple[OfferedAction, ...], tuple[OfferedAction, ...]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the cached actions: their keys hold in one process only."""
        return {"_parameters": self._parameters, "_most": self._most, "_known": {}, "_valued": {}}

    def __call__(self, screen: Screen) -> ScreenActions:
        """The actions of the screen, always the same and in the same order."""
        # By its look, which is known of most screens already: equal screens need not be the same object.
        look = screen.look()
        found = self._known.get(look)
        if found is None:
            if len(self._known) >= self._most:
                self._known.clear()
            found = self._known[look] = ScreenActions(screen, self._parameters)
        return found

    def valued(self, screen: Screen) -> tuple[OfferedAction, ...]:
        """The actions that count for the potential of a place, as the same object for most screens that share them.

        Thousands of places keep them, and most places differ in their texts, not in their actions.
        """
        found = self(screen).valued
        if len(self._valued) >= self._most:
            self._valued.clear()
        return self._valued.setdefault(found, found)


def _window(screen: Screen) -> Window | None:
    number = screen.touch_window
    return screen.windows[number] if number is not None else None


def _target(action: Action) -> tuple[ActionKind, object, str]:
    return action.kind, action.located.path if action.located else None, action.argument


def _direction(swipe: Swipe) -> str:
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) > abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


_KEY_KINDS = {"BACK": ActionKind.BACK, "MENU": ActionKind.MENU, "ENTER": ActionKind.ENTER, "HOME": ActionKind.HOME}
