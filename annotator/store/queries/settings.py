"""Named values of the campaign."""

from __future__ import annotations

from sqlalchemy import select

from annotator.store.database.tables import settings
from annotator.store.rows.statements import Queries


class SettingQueries(Queries):
    """Values by name."""

    def get(self, name: str) -> str | None:
        """Return the value with this name, None if there is none."""
        row = self._first(select(settings.c.value).where(settings.c.name == name))
        return None if row is None else row["value"]

    def put(self, name: str, value: str) -> None:
        """Store a value under a name."""
        self._put(settings, {"name": name}, {"value": value})
