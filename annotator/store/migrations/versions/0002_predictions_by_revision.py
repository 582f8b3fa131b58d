"""A model's predictions for the earlier revisions of a figure stay beside that for the latest.

Revision ID: 0002
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _replace_unique("figure_id", "revision", "model_version")


def _replace_unique(*columns: str) -> None:
    """SQLite cannot change a constraint: the table is copied there."""
    with op.batch_alter_table("predictions") as table:
        table.drop_constraint("uq_predictions", type_="unique")
        table.create_unique_constraint("uq_predictions", list(columns))
