"""The first tables.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

APPEND_ONLY = ("annotations", "decisions")


def upgrade() -> None:
    op.create_table(
        "figures",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("figure_id", name="pk_figures"),
    )
    op.create_table(
        "people",
        sa.Column("name", KEY, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_people"),
    )
    op.create_table(
        "projects",
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("project_id", NUMBER, nullable=False),
        sa.Column("server_url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("annotator", "phase", name="pk_projects"),
    )
    op.create_table(
        "settings",
        sa.Column("name", KEY, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.create_table(
        "figure_revisions",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("frame", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_figure_revisions_figures"),
        sa.PrimaryKeyConstraint("figure_id", "revision", name="pk_figure_revisions"),
    )
    op.create_table(
        "links",
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("project_id", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_links_figures"),
        sa.PrimaryKeyConstraint("annotator", "phase", "figure_id", name="pk_links"),
    )
    op.create_table(
        "queue",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("judged", sa.Boolean(), nullable=False),
        sa.Column("agreement", sa.Double(), nullable=True),
        sa.Column("annotators", sa.Integer(), nullable=False),
        sa.Column("decided", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_queue_figures"),
        sa.PrimaryKeyConstraint("figure_id", name="pk_queue"),
    )
    op.create_index("ix_queue_open", "queue", ["decided", "judged", "agreement", "figure_id"])
    op.create_index("ix_queue_order", "queue", ["judged", "agreement", "figure_id"])
    op.create_table(
        "tasks",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_tasks_figures"),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.UniqueConstraint("phase", "annotator", "figure_id", name="uq_tasks"),
    )
    op.create_table(
        "annotations",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("saved_at", KEY, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["figure_id", "revision"],
            ["figure_revisions.figure_id", "figure_revisions.revision"],
            name="fk_annotations_figure_revisions",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
    )
    op.create_index("ix_annotations_by_phase", "annotations", ["phase", "figure_id", "annotator"])
    op.create_index("ix_annotations_current", "annotations", ["figure_id", "annotator", "phase", "saved_at", "id"])
    op.create_table(
        "decisions",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("decided_at", KEY, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["figure_id", "revision"],
            ["figure_revisions.figure_id", "figure_revisions.revision"],
            name="fk_decisions_figure_revisions",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        sa.UniqueConstraint("figure_id", "version", name="uq_decisions"),
    )
    op.create_table(
        "predictions",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("model_version", KEY, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["figure_id", "revision"],
            ["figure_revisions.figure_id", "figure_revisions.revision"],
            name="fk_predictions_figure_revisions",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_predictions"),
        sa.UniqueConstraint("figure_id", "model_version", name="uq_predictions"),
    )
    op.create_index("ix_predictions_by_model", "predictions", ["model_version", "figure_id"])
    _forbid_changes()


def _forbid_changes() -> None:
    """Rows of the append-only tables are never changed nor deleted, whoever tries."""
    if op.get_bind().dialect.name == "sqlite":
        for table in APPEND_ONLY:
            for event in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION panelwise_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% are append-only', TG_TABLE_NAME; END $$"
    )
    for table in APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION panelwise_append_only()"
        )
