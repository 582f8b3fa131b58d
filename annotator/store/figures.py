"""Figures with their revisions, and the models' predictions for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import and_, bindparam, func, select

from annotator.domain.annotation import Prediction
from annotator.domain.errors import StoreError
from annotator.domain.figure import Figure
from annotator.store import mapping
from annotator.store.base import Queries, check_name, unknown_figure
from annotator.store.errors import quoted
from annotator.store.tables import figures, predictions, revisions

_LATEST = and_(revisions.c.figure_id == figures.c.figure_id, revisions.c.revision == figures.c.revision)
_FIGURE = select(revisions).join(figures, _LATEST).where(figures.c.figure_id == bindparam("figure_id"))
_FORGET_PREDICTION = predictions.delete().where(
    predictions.c.figure_id == bindparam("figure_id"), predictions.c.model_version == bindparam("model_version")
)


class FigureQueries(Queries):
    """Figures and predictions."""

    def add_figure(self, figure: Figure) -> bool:
        """Add a figure; False if the very same one is there already.

        Raises StoreError if the id is there with other content: `replace_figure` is for that.
        """
        row = mapping.figure_row(figure)
        there = self._first(_FIGURE, figure_id=figure.id)
        if there is None:
            check_name(figure.id)
            self._insert(figures, {"figure_id": row["figure_id"], "revision": row["revision"]})
            self._insert(revisions, row)
            return True
        if there["content"] == row["content"]:
            return False
        differing = ", ".join(_differences(mapping.figure_from(there), figure)) or "source"
        raise StoreError(
            f"figure {quoted(figure.id)} is in the store with another {differing}; "
            "give the new one a figure_id of its own, or leave it out"
        )

    def replace_figure(self, figure: Figure) -> Figure:
        """Make this the figure's content; returns it as stored. Work done on the old content stays with that.

        Other content makes a new revision, one above the last; the same content changes nothing.
        `figure.revision` does not matter. Raises StoreError if the figure is unknown.
        """
        there = self.figure(figure.id)
        row = mapping.figure_row(replace(figure, revision=there.revision))
        if row["content"] == mapping.figure_row(there)["content"]:
            return there
        renewed = replace(figure, revision=there.revision + 1)
        self._insert(revisions, mapping.figure_row(renewed))
        self._put(figures, {"figure_id": figure.id}, {"revision": renewed.revision})
        return renewed

    def figure(self, figure_id: str) -> Figure:
        """The figure, in its latest revision. Raises StoreError if unknown."""
        row = self._first(_FIGURE, figure_id=figure_id)
        if row is None:
            raise unknown_figure(figure_id)
        return mapping.figure_from(row)

    def has_figure(self, figure_id: str) -> bool:
        """Whether the store knows this figure."""
        return self._first(select(figures.c.figure_id).where(figures.c.figure_id == figure_id)) is not None

    def figures(self) -> Iterator[Figure]:
        """Every figure in its latest revision, by id (code-point order), read as needed."""
        for page in self._pages(select(figures), figures.c.figure_id):
            found = self._figures_of(page)
            for row in page:
                yield found[row["figure_id"], row["revision"]]

    def count_figures(self) -> int:
        """How many figures there are."""
        return int(self._scalar(select(func.count()).select_from(figures)))

    # predictions

    def put_prediction(self, p: Prediction) -> None:
        """Add a prediction; it replaces that model version's earlier one for the figure.

        Raises StoreError if the figure is unknown or has another caption or size.
        """
        self._check_figure(p.figure, f"prediction of {quoted(p.model_version)}")
        check_name(p.model_version)
        row = mapping.prediction_row(p)
        # Deleted and added anew rather than updated: the highest id is then the latest prediction.
        self._write(_FORGET_PREDICTION, {"figure_id": row["figure_id"], "model_version": row["model_version"]})
        self._insert(predictions, row)

    def predictions(self, *, model_version: str | None = None) -> Iterator[Prediction]:
        """The current predictions, by figure id and model version, read as needed."""
        statement = select(predictions)
        keys = [predictions.c.figure_id, predictions.c.model_version]
        if model_version is not None:
            statement = statement.where(predictions.c.model_version == model_version)
            keys = keys[:1]
        for page in self._pages(statement, *keys):
            found = self._figures_of(page)
            for row in page:
                yield mapping.prediction_from(row, found[row["figure_id"], row["revision"]])

    def latest_prediction(self, figure_id: str) -> Prediction | None:
        """The prediction put last on the figure's latest revision, of whatever model; None if there is none."""
        row = self._first(
            select(predictions)
            .join(
                figures,
                and_(
                    figures.c.figure_id == predictions.c.figure_id,
                    figures.c.revision == predictions.c.revision,
                ),
            )
            .where(predictions.c.figure_id == figure_id)
            .order_by(predictions.c.id.desc())
            .limit(1)
        )
        return None if row is None else mapping.prediction_from(row, self.figure(figure_id))


def _differences(old: Figure, new: Figure) -> list[str]:
    """Names of what differs, for a message: at most three."""
    names = ("image", "width", "height", "caption", "references", "document", "source", "extra", "image_sha256")
    return [name for name in names if getattr(old, name) != getattr(new, name)][:3]
