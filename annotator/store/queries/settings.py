"""Small facts about the campaign, each under a name."""

from __future__ import annotations

from sqlalchemy import select

from annotator.store.database.tables import settings
from annotator.store.rows.statements import Queries


class SettingQueries(Queries):
    """Values by name."""

    def get(self, name: str) -> str | None:
        """The value kept under this name, None if there is none."""
        row = self._first(select(settings.c.value).where(settings.c.name == name))
        return None if row is None else row["value"]

    def put(self, name: str, value: str) -> None:
        """Keep a small fact under a name."""
        self._put(settings, {"name": name}, {"value": value})
