"""When an annotator skipped a task on Panelwise's own screen; such a task stays open.

Revision ID: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("tasks", sa.Column("skipped_at", KEY))
