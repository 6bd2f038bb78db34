"""Regular expressions of clients."""

from __future__ import annotations

import re
import warnings


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern as Python's. Raises ValueError for one that Python does not take."""
    try:
        with warnings.catch_warnings():
            # About patterns that may mean something else in a later Python; they would be shown on our terminal.
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a pattern: {pattern[:60]}") from error
