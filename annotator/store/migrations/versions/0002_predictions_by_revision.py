"""A model's predictions for the earlier revisions of a figure stay beside that for the latest.

Revision ID: 0002
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _replace_unique("figure_id", "revision", "model_version")


def downgrade() -> None:
    # Of several the one put last is what the older program would have kept.
    op.execute(
        "DELETE FROM predictions WHERE id NOT IN "
        "(SELECT max(id) FROM predictions GROUP BY figure_id, model_version)"
    )
    _replace_unique("figure_id", "model_version")


def _replace_unique(*columns: str) -> None:
    """SQLite cannot change a constraint: the table is copied there."""
    with op.batch_alter_table("predictions") as table:
        table.drop_constraint("uq_predictions", type_="unique")
        table.create_unique_constraint("uq_predictions", list(columns))
