"""Finds a picture for a screen: one taken of an equal screen, else one of another screen in the same state."""

from __future__ import annotations

from fewtaps.model.screen import Screen
from fewtaps.model.state import page_state
from fewtaps.store.connection import Database
from fewtaps.store.pictures import Pictures, checked_name

_EXACT = """
    SELECT sha256 FROM screen_picture WHERE digest = ?1
    UNION ALL SELECT sha256 FROM picture JOIN screen USING (screen_id) WHERE screen.digest = ?1 LIMIT 1"""


class ScreenPictures:
    """Reads and writes which picture shows which screen."""

    def __init__(self, database: Database, pictures: Pictures) -> None:
        self._database = database
        self._pictures = pictures
        self._by_page: dict[str, str] | None = None

    def save(self, screen: Screen, picture: bytes) -> None:
        """Writes a PNG as the picture of every screen equal to this one."""
        name = self._pictures.save(picture)
        with self._database.transaction():
            self._database.run(
                "INSERT OR REPLACE INTO screen_picture (digest, page, sha256) VALUES (?, ?, ?)",
                (bytes.fromhex(screen.digest()), page_state(screen), name),
            )
        self._by_page = None

    def has(self, screen: Screen) -> bool:
        """Whether there is a picture of an equal screen."""
        return self._exact(screen) is not None

    def find(self, screen: Screen) -> str | None:
        """The name, for `Pictures`, of a picture of an equal screen or of the same state; None without either."""
        return self._exact(screen) or self._pages().get(page_state(screen))

    def _exact(self, screen: Screen) -> str | None:
        row = self._database.row(_EXACT, (bytes.fromhex(screen.digest()),))
        with self._database.reading("a picture"):
            return None if row is None else checked_name(row[0])

    def _pages(self) -> dict[str, str]:
        """By state, the name of a picture of it; cached until `save` is called."""
        if self._by_page is None:
            rows = self._database.rows(
                "SELECT page, sha256 FROM picture JOIN screen USING (screen_id)"
                " UNION ALL SELECT page, sha256 FROM screen_picture"
            )
            with self._database.reading("a picture"):
                self._by_page = {page: checked_name(name) for page, name in rows}
        return self._by_page
