"""Comments on figures, and how far each person has read them.

Revision ID: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "comments",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("thread", NUMBER, nullable=False),
        sa.Column("author", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_comments_figures"),
        sa.PrimaryKeyConstraint("id", name="pk_comments"),
    )
    op.create_index("ix_comments_by_figure", "comments", ["figure_id", "annotator"])
    op.create_table(
        "comments_read",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("comment", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_comments_read_figures"),
        sa.PrimaryKeyConstraint("figure_id", "person", name="pk_comments_read"),
    )
