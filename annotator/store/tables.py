"""The store's tables. `migrations/` makes them; a test holds the two together.

Names are text in code-point order on both databases; times are text, UTC, ISO 8601 with microseconds and "Z", so
that text order is time order. Payloads are JSON text, written and read by `mapping` only.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

#: The revision that this program's tables are at; the last one in migrations/versions.
HEAD = "0002"

#: Where the revision is kept. Not Alembic's default name: a PostgreSQL database may serve other programs too.
VERSION_TABLE = "panelwise_revision"

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s",
    }
)

Key = Text().with_variant(Text(collation="C"), "postgresql")
Number = BigInteger().with_variant(Integer(), "sqlite")

figures = Table(
    "figures",
    metadata,
    Column("figure_id", Key, primary_key=True),
    Column("revision", Integer, nullable=False),
)

revisions = Table(
    "figure_revisions",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
    Column("frame", Text, nullable=False),
    Column("payload", Text, nullable=False),
)


def _of_revision() -> ForeignKeyConstraint:
    """Work is on one revision of a figure: its token ids and boxes mean nothing on another."""
    return ForeignKeyConstraint(
        ["figure_id", "revision"], ["figure_revisions.figure_id", "figure_revisions.revision"]
    )


predictions = Table(
    "predictions",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("model_version", Key, nullable=False),
    Column("payload", Text, nullable=False),
    _of_revision(),
    UniqueConstraint("figure_id", "revision", "model_version"),
)
Index("ix_predictions_by_model", predictions.c.model_version, predictions.c.figure_id)

people = Table(
    "people",
    metadata,
    Column("name", Key, primary_key=True),
    Column("email", Text, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("roles", Text, nullable=False),
    Column("password_hash", Text),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Number, primary_key=True),
    Column("phase", Key, nullable=False),
    Column("annotator", Key, nullable=False),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), nullable=False),
    UniqueConstraint("phase", "annotator", "figure_id"),
)

annotation_table = Table(
    "annotations",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("annotator", Key, nullable=False),
    Column("phase", Key, nullable=False),
    Column("saved_at", Key, nullable=False),
    Column("status", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("payload", Text, nullable=False),
    _of_revision(),
)
# The last entry of each (figure, annotator, phase) in this index is the current annotation.
Index(
    "ix_annotations_current",
    annotation_table.c.figure_id,
    annotation_table.c.annotator,
    annotation_table.c.phase,
    annotation_table.c.saved_at,
    annotation_table.c.id,
)
Index(
    "ix_annotations_by_phase", annotation_table.c.phase, annotation_table.c.figure_id, annotation_table.c.annotator
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("reviewer", Key, nullable=False),
    Column("status", Text, nullable=False),
    Column("decided_at", Key, nullable=False),
    Column("payload", Text, nullable=False),
    _of_revision(),
    UniqueConstraint("figure_id", "version"),
)

queue = Table(
    "queue",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    # 0 where agreement is null: sorts those first on both databases, whatever they think of nulls.
    Column("judged", Boolean, nullable=False),
    Column("agreement", Double),
    Column("annotators", Integer, nullable=False),
    Column("decided", Boolean, nullable=False),
    Column("status", Text),
    Column("version", Integer, nullable=False),
    Column("reviewer", Text, nullable=False),
)
Index("ix_queue_order", queue.c.judged, queue.c.agreement, queue.c.figure_id)
Index("ix_queue_open", queue.c.decided, queue.c.judged, queue.c.agreement, queue.c.figure_id)

links = Table(
    "links",
    metadata,
    Column("annotator", Key, primary_key=True),
    Column("phase", Key, primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("project_id", Number, nullable=False),
    Column("task_id", Number, nullable=False),
)

projects = Table(
    "projects",
    metadata,
    Column("annotator", Key, primary_key=True),
    Column("phase", Key, primary_key=True),
    Column("project_id", Number, nullable=False),
    Column("server_url", Text, nullable=False),
    Column("title", Text, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Key, primary_key=True),
    Column("value", Text, nullable=False),
)

#: Tables whose rows are never changed nor deleted; triggers see to it.
APPEND_ONLY = (annotation_table.name, decisions.name)
