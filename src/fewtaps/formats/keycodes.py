"""Android's key codes by number and by name."""

from __future__ import annotations

from fewtaps.model.vocabulary import KEYS_BY_CODE

KEY_CODES: dict[str, int] = {name: code for code, name in enumerate(KEYS_BY_CODE)}
"""Key names without KEYCODE_, and their numbers."""


def key_name(key: str) -> str | None:
    """The key's name, given Android's number, or its name with or without KEYCODE_; None if there is no such key.

    Digits alone are a number, as Android's own tools read them: `3` is HOME, and the key 3 is `KEYCODE_3`.
    """
    if key.isascii() and key.isdigit():
        code = int(key) if len(key) < 6 else 0
        return KEYS_BY_CODE[code] if 0 < code < len(KEYS_BY_CODE) else None
    name = key.upper().removeprefix("KEYCODE_")
    return name if KEY_CODES.get(name) else None
