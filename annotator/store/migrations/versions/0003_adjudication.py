"""Tables of adjudication beside decisions: leases, skips, sign-ins, and the facets for filtering the queue.

Revision ID: 0003
"""

from __future__ import annotations

from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

#: Rows written at a time.
BATCH = 1000


def upgrade() -> None:
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
    _forbid_changes("sign_ins")
    op.add_column("queue", sa.Column("loss", KEY, nullable=True))
    op.add_column("queue", sa.Column("phases", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("queue", sa.Column("needs_second", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_index("ix_queue_order", "queue")
    op.drop_index("ix_queue_open", "queue")
    _make_facets()
    _make_texts()
    _make_bulks()
    _fill_phases()
    _fill_facets()


def _forbid_changes(table: str) -> None:
    """As in the first migration, whose function PostgreSQL has."""
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
            )
        return
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION panelwise_append_only()"
    )


def _make_facets() -> None:
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


def _make_texts() -> None:
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


def _make_bulks() -> None:
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


def _fill_facets() -> None:
    """That each figure is in the queue, so that it is listed; what it is filtered by comes on measuring."""
    op.execute(
        "INSERT INTO queue_facets (figure_id, kind, value, decided, place) "
        "SELECT figure_id, 'all', '', decided, coalesce(agreement, -2.0) FROM queue"
    )
    op.execute(
        "INSERT INTO queue_counts (kind, value, open, decided) SELECT 'all', '', "
        "sum(CASE WHEN decided THEN 0 ELSE 1 END), sum(CASE WHEN decided THEN 1 ELSE 0 END) "
        "FROM queue HAVING count(*) > 0"
    )


def _fill_phases() -> None:
    """The phases of each figure in the queue, as the program writes them: ",1,2,". The loss comes on measuring."""
    connection = op.get_bind()
    found = connection.execute(
        sa.text(
            "SELECT DISTINCT q.figure_id, a.phase FROM queue AS q JOIN figures AS f ON f.figure_id = q.figure_id "
            "JOIN annotations AS a ON a.figure_id = f.figure_id AND a.revision = f.revision "
            "ORDER BY q.figure_id, a.phase"
        )
    ).all()
    rows = [
        {"figure_id": figure_id, "phases": f",{','.join(phase for _, phase in group)},"}
        for figure_id, group in groupby(found, key=lambda row: row[0])
    ]
    update = sa.text("UPDATE queue SET phases = :phases WHERE figure_id = :figure_id")
    for start in range(0, len(rows), BATCH):
        connection.execute(update, rows[start : start + BATCH])
