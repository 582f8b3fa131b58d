"""How far each person has read each thread: an annotator's role shows fewer threads of a figure than a reviewer's.

Revision ID: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "threads_read",
        sa.Column("thread", NUMBER, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("comment", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["thread"], ["comments.id"], name="fk_threads_read_comments"),
        sa.PrimaryKeyConstraint("thread", "person", name="pk_threads_read"),
    )
    op.execute(
        "INSERT INTO threads_read (thread, person, comment) "
        "SELECT comments.thread, comments_read.person, max(comments.id) FROM comments "
        "JOIN comments_read ON comments_read.figure_id = comments.figure_id "
        "WHERE comments.id <= comments_read.comment "
        "GROUP BY comments.thread, comments_read.person"
    )
    op.drop_table("comments_read")
