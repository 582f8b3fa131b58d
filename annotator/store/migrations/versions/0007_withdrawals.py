"""Figures that are taken out of a campaign.

Revision ID: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "withdrawals",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("restored_at", KEY, nullable=True),
        sa.Column("restored_by", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_withdrawals_figures"),
        sa.PrimaryKeyConstraint("id", name="pk_withdrawals"),
    )
    op.create_index("ix_withdrawals_standing", "withdrawals", ["restored_at", "figure_id"])
