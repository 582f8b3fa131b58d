"""What an annotator did last on Panelwise's own screen."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from annotator.store.database.tables import annotation_table as table
from annotator.store.rows.statements import Queries


class OwnTaskQueries(Queries):
    """The end of an annotator's own history."""

    def last_saved(self, annotator: str, phases: Sequence[str]) -> tuple[str, str, str] | None:
        """(figure id, phase, origin) of the annotation that the annotator added last in these phases."""
        wanted = select(table.c.figure_id, table.c.phase, table.c.origin).where(
            table.c.annotator == annotator, table.c.phase.in_(phases)
        )
        row = self._first(wanted.order_by(table.c.id.desc()).limit(1))
        return None if row is None else (row["figure_id"], row["phase"], row["origin"])
