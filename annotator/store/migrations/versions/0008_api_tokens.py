"""Tokens with which people use the HTTP API.

Revision ID: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("label", KEY, nullable=False),
        sa.Column("digest", KEY, nullable=False),
        sa.Column("created_at", KEY, nullable=False),
        sa.Column("used_at", KEY, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("person", "label", name="uq_api_tokens"),
    )
    op.create_index("ix_api_tokens_by_digest", "api_tokens", ["digest"], unique=True)
