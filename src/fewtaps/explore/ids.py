"""Distinct types for the texts by which the frontier strategy tells things apart."""

from __future__ import annotations

from typing import NewType

ActionName = NewType("ActionName", str)
"""Identifies an action on a screen. The same action has the same name on every screen that offers it."""
ActionGroup = NewType("ActionGroup", str)
"""Shared by actions that are likely to do the same kind of thing, such as taps on the later rows of one list."""
FieldId = NewType("FieldId", str)
"""Identifies a text field, whatever it contains and whatever is typed into it."""
PageId = NewType("PageId", str)
"""An activity, together with the dialog or menu in front of it, if there is one."""
PlaceId = NewType("PlaceId", str)
"""A state, together with the rotation of the screen and the kind of text in each field."""
ShapeId = NewType("ShapeId", str)
"""Shared by places that offer the same groups of actions and show the same kinds of texts."""
