"""Work that reviewers send back to its annotator.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sent_back",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("ended_at", KEY, nullable=True),
        sa.Column("ended_by", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_sent_back_figures"),
        sa.PrimaryKeyConstraint("id", name="pk_sent_back"),
    )
    op.create_index("ix_sent_back_by_figure", "sent_back", ["figure_id", "annotator", "phase"])
    op.create_index("ix_sent_back_by_annotator", "sent_back", ["annotator", "phase"])
