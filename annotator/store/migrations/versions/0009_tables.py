"""The tables of the first release.

Revision ID: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

APPEND_ONLY = ("annotations", "decisions", "sign_ins")


def upgrade() -> None:
    _make_figures_and_work()
    _make_queue()
    _make_full_text()
    _make_adjudication()
    _make_messages()
    _make_accounts()
    _forbid_changes()


def _make_figures_and_work() -> None:
    op.create_table(
        "figures",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("figure_id", name="pk_figures"),
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
        "tasks",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("released", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("hidden", sa.Boolean(), nullable=False, server_default=sa.false()),
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
        sa.UniqueConstraint("figure_id", "revision", "model_version", name="uq_predictions"),
    )
    op.create_index("ix_predictions_by_model", "predictions", ["model_version", "figure_id"])
    op.create_table(
        "links",
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("project_id", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("updated_at", KEY, nullable=True),
        sa.Column("annotation_ids", sa.Text(), nullable=True),
        sa.Column("pushed", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_links_figures"),
        sa.PrimaryKeyConstraint("annotator", "phase", "figure_id", name="pk_links"),
    )
    op.create_table(
        "projects",
        sa.Column("annotator", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("project_id", NUMBER, nullable=False),
        sa.Column("server_url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("annotator", "phase", name="pk_projects"),
    )
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


def _make_queue() -> None:
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
        sa.Column("loss", KEY, nullable=True),
        sa.Column("phases", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.Column("needs_second", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_queue_figures"),
        sa.PrimaryKeyConstraint("figure_id", name="pk_queue"),
    )
    op.create_table(
        "queue_facets",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("value", KEY, nullable=False),
        sa.Column("decided", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_queue_facets_figures"),
        sa.PrimaryKeyConstraint("figure_id", "kind", "value", name="pk_queue_facets"),
    )
    op.create_index("ix_queue_facets", "queue_facets", ["kind", "value", "decided", "place", "figure_id"])
    op.create_table(
        "queue_counts",
        sa.Column("kind", KEY, nullable=False),
        sa.Column("value", KEY, nullable=False),
        sa.Column("open", sa.Integer(), nullable=False),
        sa.Column("decided", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "value", name="pk_queue_counts"),
    )
    op.create_table(
        "leases",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("until", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_leases_figures"),
        sa.PrimaryKeyConstraint("figure_id", "reviewer", name="pk_leases"),
    )
    op.create_table(
        "skips",
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_skips_figures"),
        sa.PrimaryKeyConstraint("figure_id", "reviewer", name="pk_skips"),
    )
    op.create_index("ix_skips_by_reviewer", "skips", ["reviewer", "figure_id"])


def _make_full_text() -> None:
    """Full text is the databases' own matter: both look up words that this program has cut."""
    op.create_table(
        "queue_texts",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_queue_texts_figures"),
        sa.PrimaryKeyConstraint("id", name="pk_queue_texts"),
        sa.UniqueConstraint("figure_id", name="uq_queue_texts"),
    )
    if op.get_bind().dialect.name != "sqlite":
        op.execute("CREATE INDEX ix_queue_words ON queue_texts USING gin (to_tsvector('simple', words))")
        return
    op.execute(
        "CREATE VIRTUAL TABLE queue_words USING fts5("
        "words, content='queue_texts', content_rowid='id', detail=none, tokenize='unicode61 remove_diacritics 0')"
    )
    away = "INSERT INTO queue_words (queue_words, rowid, words) VALUES ('delete', old.id, old.words);"
    back = "INSERT INTO queue_words (rowid, words) VALUES (new.id, new.words);"
    for event, what in (("INSERT", back), ("DELETE", away), ("UPDATE", f"{away} {back}")):
        op.execute(f"CREATE TRIGGER queue_texts_{event.lower()} AFTER {event} ON queue_texts BEGIN {what} END")


def _make_adjudication() -> None:
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
        "bulks",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.Column("undone_at", KEY, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_bulks"),
    )
    op.create_table(
        "bulk_figures",
        sa.Column("bulk", NUMBER, nullable=False),
        sa.Column("figure_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bulk"], ["bulks.id"], name="fk_bulk_figures_bulks"),
        sa.ForeignKeyConstraint(["figure_id"], ["figures.figure_id"], name="fk_bulk_figures_figures"),
        sa.PrimaryKeyConstraint("bulk", "figure_id", name="pk_bulk_figures"),
    )
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


def _make_messages() -> None:
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


def _make_accounts() -> None:
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
        "sign_ins",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("at", KEY, nullable=False),
        sa.Column("name", KEY, nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ins"),
    )
    op.create_index("ix_sign_ins_by_name", "sign_ins", ["name", "at"])
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
    op.create_table(
        "settings",
        sa.Column("name", KEY, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )


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
