"""World numbers: which world it is, and on which date it starts."""

from __future__ import annotations

DATE_BITS = 40
"""The bits of a world's number above these count days: by so many a device's clock starts later."""

OTHER_DAYS = 100
"""Days between the date on which worlds start and the other date: another weekday, month and quarter."""


def on_other_date(world: int, days: int = OTHER_DAYS) -> int:
    """The same world, so many days later. Negative numbers have no other date, and are returned as they are."""
    return world if world < 0 else world % (1 << DATE_BITS) + (days << DATE_BITS)
