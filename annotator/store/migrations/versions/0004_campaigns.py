"""Tables of campaigns: batches of tasks, each task's state on the annotation server at the last pull, and
what blind phases give and have back.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

#: Columns that may be null, by table.
NULLABLE = (
    ("links", "updated_at"),
    ("links", "annotation_ids"),
    ("links", "pushed"),
    ("projects", "config_hash"),
)


def upgrade() -> None:
    op.add_column("tasks", sa.Column("batch", sa.Integer(), nullable=False, server_default=sa.text("1")))
    op.add_column("tasks", sa.Column("released", sa.Boolean(), nullable=False, server_default=sa.true()))
    for table, column in NULLABLE:
        op.add_column(table, sa.Column(column, KEY if column == "updated_at" else sa.Text(), nullable=True))
    _make_blind()


def _make_blind() -> None:
    op.create_table(
        "given",
        sa.Column("phase", KEY, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("source", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["figure_id", "revision"],
            ["figure_revisions.figure_id", "figure_revisions.revision"],
            name="fk_given_figure_revisions",
        ),
        sa.PrimaryKeyConstraint("phase", "figure_id", "revision", name="pk_given"),
    )
    op.create_table(
        "handed_in",
        sa.Column("phase", KEY, nullable=False),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_handed_in_figures"),
        sa.PrimaryKeyConstraint("phase", "reviewer", "figure_id", name="pk_handed_in"),
    )
