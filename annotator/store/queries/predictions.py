"""The models' predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, bindparam, select

from annotator.store.database.errors import quoted
from annotator.store.database.tables import figures, predictions
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows import mapping
from annotator.store.rows.records import Revisions
from annotator.store.rows.statements import (
    MANY,
    ONE_REVISION,
    Queries,
    check_name,
    matching,
    of_revisions,
    same,
    these,
)
from panelwise.domain import Figure, Prediction

_ON_PRESENT = same(figures, predictions, *ONE_REVISION)
_PREDICTIONS = select(predictions).join(figures, _ON_PRESENT).where(these(figures)).order_by(predictions.c.id)
#: The latest prediction on a figure's present revision, of any model: a row or none.
LATEST_PREDICTION = (
    select(predictions)
    .join(figures, _ON_PRESENT)
    .where(predictions.c.figure_id == bindparam("figure_id"))
    .order_by(predictions.c.id.desc())
    .limit(1)
)
_REVISION = select(figures.c.revision).where(figures.c.figure_id == bindparam("figure_id"))
_PREDICTED = select(predictions.c.figure_id).distinct()
_FORGET_PREDICTION = predictions.delete().where(
    *(predictions.c[name] == bindparam(name) for name in ("figure_id", "revision", "model_version"))
)


class PredictionQueries(Queries):
    """Predictions."""

    def put(self, p: Prediction) -> None:
        """Add a prediction; it replaces that model version's earlier one for the same revision of the figure.

        Raises StoreError if the figure is unknown or has another caption or size.
        """
        self._check_figure(p.figure, f"prediction of {quoted(p.model_version)}")
        check_name(p.model_version)
        row = mapping.prediction_row(p)
        # Deleted and added again rather than updated: the highest id is then the latest prediction.
        key = {name: row[name] for name in ("figure_id", "revision", "model_version")}
        self._write(_FORGET_PREDICTION, key)
        self._insert(predictions, row)
        present = self._first(_REVISION, figure_id=p.figure.id)
        if present is not None and present["revision"] == p.figure.revision:
            EntryQueries(self._session).put_certainty({p.figure.id: p.certainty})

    def all(
        self, *, model_version: str | None = None, revisions: Revisions = Revisions.PRESENT
    ) -> Iterator[Prediction]:
        """Yield the current predictions, by figure id and model version.

        revisions: by default those on the figures' current captions and images.
        """
        statement = of_revisions(select(predictions), predictions, revisions)
        statement = matching(statement, (predictions.c.model_version, model_version))
        keys: list[Column[Any]] = [predictions.c.figure_id, predictions.c.model_version, predictions.c.revision]
        return self._read_pages(mapping.prediction_from, statement, *keys)

    def certainties(self, figure_ids: Iterable[str] | None = None) -> dict[str, float]:
        """Return the certainty of each figure's latest prediction, by id; see `Prediction.certainty`.

        figure_ids: None for all.
        """
        if figure_ids is None:
            figure_ids = [row["figure_id"] for row in self._rows(_PREDICTED)]
        latest = {row["figure_id"]: row for row in self._of_figures(_PREDICTIONS, figure_ids, page=MANY)}
        return {name: row["certainty"] for name, row in latest.items() if mapping.number_predicted(row)}

    def exist(self) -> bool:
        """Return True if there is any prediction."""
        return self._first(select(predictions.c.id).limit(1)) is not None

    def latest_of(self, present: Mapping[str, Figure]) -> dict[str, Prediction]:
        """Return figure id -> the last added prediction of any model, of those figures that have one.

        present: the figures in their current revisions, by id.
        """
        latest = {row["figure_id"]: row for row in self._of_figures(_PREDICTIONS, present, page=MANY)}
        return {name: mapping.prediction_from(row, present[name]) for name, row in latest.items()}

    def of(self, figure_ids: Sequence[str], model_version: str = "") -> dict[str, Prediction]:
        """Return figure id -> the last added prediction on its current revision: of that model, or of any ("")."""
        statement = matching(_PREDICTIONS, (predictions.c.model_version, model_version or None))
        latest = {row["figure_id"]: row for row in self._of_figures(statement, figure_ids)}
        return {each.figure.id: each for each in self._read([*latest.values()], mapping.prediction_from)}

    def models(self, figure_ids: Sequence[str]) -> dict[str, str]:
        """Return figure id -> the version of the model that last predicted its current revision."""
        return {row["figure_id"]: row["model_version"] for row in self._of_figures(_PREDICTIONS, figure_ids)}

    def counts(self) -> dict[str, int]:
        """Return figure id -> number of subfigures in its latest prediction."""
        named = (predictions.c.figure_id, predictions.c.model_version, predictions.c.subfigures)
        rows = self._rows(select(*named).join(figures, _ON_PRESENT).order_by(predictions.c.id))
        return {row["figure_id"]: mapping.number_predicted(row) for row in rows}
