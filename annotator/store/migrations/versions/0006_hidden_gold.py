"""Tasks on figures whose gold exists already, which measure the annotator.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("hidden", sa.Boolean(), nullable=False, server_default=sa.false()))
