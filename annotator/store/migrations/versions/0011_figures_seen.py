"""When each person first saw others' work on a figure, or a hint about it: what is measured must be independent.

For comments, their time stands for that of reading them, which was not stored before.

Revision ID: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "figures_seen",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_figures_seen_figures"),
        sa.PrimaryKeyConstraint("figure_id", "person", name="pk_figures_seen"),
    )
    op.execute(
        "INSERT INTO figures_seen (figure_id, person, at) "
        "SELECT comments.figure_id, threads_read.person, min(comments.at) FROM comments "
        "JOIN threads_read ON threads_read.thread = comments.thread "
        "WHERE comments.id <= threads_read.comment AND comments.author <> threads_read.person "
        "GROUP BY comments.figure_id, threads_read.person"
    )
