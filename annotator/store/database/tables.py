"""The store's tables. `migrations/` makes them; a test holds the two together.

Names are text in code-point order on both databases; times are text, UTC, ISO 8601 with microseconds and "Z", so
that text order is time order. Payloads are JSON text, written and read by `mapping` only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    false,
    text,
    true,
)

#: The revision that this program's tables are at; the last one in migrations/versions.
HEAD = "0014"

#: The table of the revision. Not Alembic's default name: a PostgreSQL database may serve other programs too.
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

#: What a column holds, as its `info`: the name of a person ("" for none), a name as typed at sign-in, which may be
#: nobody's, or a time. Renaming, joining and checking go by it.
PERSON, TYPED_NAME, TIME = {"holds": "person"}, {"holds": "typed name"}, {"holds": "time"}

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
    # The number of subfigures in the payload; null in a row of an earlier version that could not be read.
    Column("subfigures", Integer),
    # The product of the payload's scores; null without scores.
    Column("certainty", Double),
    _of_revision(),
    UniqueConstraint("figure_id", "revision", "model_version"),
)
Index("ix_predictions_by_model", predictions.c.model_version, predictions.c.figure_id)

people = Table(
    "people",
    metadata,
    Column("name", Key, primary_key=True, info=PERSON),
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
    Column("annotator", Key, nullable=False, info=PERSON),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), nullable=False),
    Column("batch", Integer, nullable=False, server_default=text("1")),
    # Whether the task may be worked on already; what is not released is not pushed.
    Column("released", Boolean, nullable=False, server_default=true()),
    # Whether the figure's gold exists already, so that the task measures the annotator.
    Column("hidden", Boolean, nullable=False, server_default=false()),
    # When the annotator skipped the task on Panelwise's own screen; it stays open.
    Column("skipped_at", Key, info=TIME),
    # Whether the task was drawn to begin without pre-labels where others begin with them.
    Column("unseeded", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("phase", "annotator", "figure_id"),
)

annotation_table = Table(
    "annotations",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("annotator", Key, nullable=False, info=PERSON),
    Column("phase", Key, nullable=False),
    Column("saved_at", Key, nullable=False, info=TIME),
    Column("status", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("payload", Text, nullable=False),
    # Seconds spent; null where they are not known.
    Column("seconds", Double),
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
    Column("reviewer", Key, nullable=False, info=PERSON),
    Column("status", Text, nullable=False),
    Column("decided_at", Key, nullable=False, info=TIME),
    Column("payload", Text, nullable=False),
    # Seconds spent; null where they are not known.
    Column("seconds", Double),
    # The second review that is requested or missing; null where the decision is final.
    Column("awaits", Key),
    # Whether the payload has a question for the guidelines.
    Column("flagged", Boolean, nullable=False, server_default=false()),
    _of_revision(),
    UniqueConstraint("figure_id", "version"),
)

queue = Table(
    "queue",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    # 0 if agreement is null: sorts those first on both databases, whatever they think of nulls.
    Column("judged", Boolean, nullable=False),
    Column("agreement", Double),
    Column("annotators", Integer, nullable=False),
    Column("decided", Boolean, nullable=False),
    Column("status", Text),
    Column("version", Integer, nullable=False),
    Column("reviewer", Text, nullable=False, info=PERSON),
    # The greatest cause of disagreement, null where nothing is lost.
    Column("loss", Key),
    # The phases of what was done on the figure, each between commas: ",1,2,".
    Column("phases", Text, nullable=False, server_default=text("''")),
    # Whether a reviewer other than those who decided is needed.
    Column("needs_second", Boolean, nullable=False, server_default=false()),
)

# What the queue is filtered by: a row for each thing that holds of a figure there, and one for being there at all.
queue_facets = Table(
    "queue_facets",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("kind", Key, primary_key=True),
    Column("value", Key, primary_key=True),
    Column("decided", Boolean, nullable=False),
    # The agreement, and a number below all of these where it is null.
    Column("place", Double, nullable=False),
)
# A list of the queue, worst first, is a run of entries in this index, whatever it is filtered by.
Index(
    "ix_queue_facets",
    queue_facets.c.kind,
    queue_facets.c.value,
    queue_facets.c.decided,
    queue_facets.c.place,
    queue_facets.c.figure_id,
)

# How many rows `queue_facets` has of each kind and value: counting them takes the longer, the more there are.
queue_counts = Table(
    "queue_counts",
    metadata,
    Column("kind", Key, primary_key=True),
    Column("value", Key, primary_key=True),
    Column("open", Integer, nullable=False),
    Column("decided", Integer, nullable=False),
)

# The words of a figure's id and caption, each once. SQLite has a full-text index of it, "queue_words".
queue_texts = Table(
    "queue_texts",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), nullable=False, unique=True),
    Column("words", Text, nullable=False),
)

# Figures adjudicated together, and the decision that each was given then.
bulks = Table(
    "bulks",
    metadata,
    Column("id", Number, primary_key=True),
    Column("reviewer", Key, nullable=False, info=PERSON),
    Column("at", Key, nullable=False, info=TIME),
    Column("undone_at", Key, info=TIME),
)
bulk_figures = Table(
    "bulk_figures",
    metadata,
    Column("bulk", Number, ForeignKey("bulks.id"), primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("version", Integer, nullable=False),
)

# Who is looking at a figure, and until when that is taken to be so: advice, not a lock.
leases = Table(
    "leases",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("reviewer", Key, primary_key=True, info=PERSON),
    Column("until", Key, nullable=False, info=TIME),
)

# Figures that a reviewer skipped for now.
skips = Table(
    "skips",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("reviewer", Key, primary_key=True, info=PERSON),
    Column("at", Key, nullable=False, info=TIME),
)
Index("ix_skips_by_reviewer", skips.c.reviewer, skips.c.figure_id)

# Sign-in attempts, with the typed name.
sign_ins = Table(
    "sign_ins",
    metadata,
    Column("id", Number, primary_key=True),
    Column("at", Key, nullable=False, info=TIME),
    Column("name", Key, nullable=False, info=TYPED_NAME),
    Column("outcome", Text, nullable=False),
    Column("address", Text, nullable=False),
)
Index("ix_sign_ins_by_name", sign_ins.c.name, sign_ins.c.at)

links = Table(
    "links",
    metadata,
    Column("annotator", Key, primary_key=True, info=PERSON),
    Column("phase", Key, primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("project_id", Number, nullable=False),
    Column("task_id", Number, nullable=False),
    # As the server had the task when it was last pulled: its `updated_at`, and its annotations.
    Column("updated_at", Key),
    Column("annotation_ids", Text),
    # A hash of the data and predictions that were sent last, so that only what changed is sent again.
    Column("pushed", Text),
)

projects = Table(
    "projects",
    metadata,
    Column("annotator", Key, primary_key=True, info=PERSON),
    Column("phase", Key, primary_key=True),
    Column("project_id", Number, nullable=False),
    Column("server_url", Text, nullable=False),
    Column("title", Text, nullable=False),
    # Of the configuration that was sent, so that one edited by hand is known.
    Column("config_hash", Text),
)

# The subfigures that a blind phase gives to its reviewers, as they were when the first of them looked.
blind_boxes = Table(
    "given",
    metadata,
    Column("phase", Key, primary_key=True),
    Column("figure_id", Key, primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("source", Key, nullable=False),
    Column("at", Key, nullable=False, info=TIME),
    Column("payload", Text, nullable=False),
    _of_revision(),
)

# Blind work that its reviewer is done with: it stays as it is, and the figure is hidden from them no more.
handed_in = Table(
    "handed_in",
    metadata,
    Column("phase", Key, primary_key=True),
    Column("reviewer", Key, primary_key=True, info=PERSON),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("at", Key, nullable=False, info=TIME),
)

# Work that a reviewer sent back to its annotator. ended_at, ended_by: when and by whom it was withdrawn, or handed
# in unchanged; later work of the annotator ends it without these.
sent_back = Table(
    "sent_back",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), nullable=False),
    Column("phase", Key, nullable=False),
    Column("annotator", Key, nullable=False, info=PERSON),
    Column("reviewer", Key, nullable=False, info=PERSON),
    Column("at", Key, nullable=False, info=TIME),
    Column("reason", Text, nullable=False),
    Column("ended_at", Key, info=TIME),
    Column("ended_by", Key, nullable=False, info=PERSON),
)
Index("ix_sent_back_by_figure", sent_back.c.figure_id, sent_back.c.annotator, sent_back.c.phase)
Index("ix_sent_back_by_annotator", sent_back.c.annotator, sent_back.c.phase)

# Comments on figures. thread: id of the comment that began the thread, which may be this one. annotator: with whom
# reviewers talk in it, "" where they are among themselves.
comments = Table(
    "comments",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), nullable=False),
    Column("annotator", Key, nullable=False, info=PERSON),
    Column("thread", Number, nullable=False),
    Column("author", Key, nullable=False, info=PERSON),
    Column("at", Key, nullable=False, info=TIME),
    Column("body", Text, nullable=False),
)
Index("ix_comments_by_figure", comments.c.figure_id, comments.c.annotator)

# The last comment of a thread that a person has read.
threads_read = Table(
    "threads_read",
    metadata,
    Column("thread", Number, ForeignKey("comments.id"), primary_key=True, autoincrement=False),
    Column("person", Key, primary_key=True, info=PERSON),
    Column("comment", Number, nullable=False),
)

# When a person first saw others' work on a figure, or a hint about it, that nothing else here has the time of.
figures_seen = Table(
    "figures_seen",
    metadata,
    Column("figure_id", Key, ForeignKey("figures.figure_id"), primary_key=True),
    Column("person", Key, primary_key=True, info=PERSON),
    Column("at", Key, nullable=False, info=TIME),
)

# Figures taken out of the campaign, and back. While restored_at is missing, nothing counts that is on the figure.
withdrawals = Table(
    "withdrawals",
    metadata,
    Column("id", Number, primary_key=True),
    Column("figure_id", Key, ForeignKey("figures.figure_id"), nullable=False),
    Column("person", Key, nullable=False, info=PERSON),
    Column("at", Key, nullable=False, info=TIME),
    Column("reason", Text, nullable=False),
    Column("restored_at", Key, info=TIME),
    Column("restored_by", Key, nullable=False, info=PERSON),
)
Index("ix_withdrawals_standing", withdrawals.c.restored_at, withdrawals.c.figure_id)

# Tokens with which people use the HTTP API. digest: SHA-256 of the token, which is random and stored nowhere.
api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Number, primary_key=True),
    Column("person", Key, nullable=False, info=PERSON),
    Column("label", Key, nullable=False),
    Column("digest", Key, nullable=False),
    Column("created_at", Key, nullable=False, info=TIME),
    Column("used_at", Key, info=TIME),
    UniqueConstraint("person", "label"),
)
Index("ix_api_tokens_by_digest", api_tokens.c.digest, unique=True)

settings = Table(
    "settings",
    metadata,
    Column("name", Key, primary_key=True),
    Column("value", Text, nullable=False),
)

#: Tables whose rows are never changed nor deleted; triggers see to it.
APPEND_ONLY = (annotation_table.name, decisions.name, sign_ins.name)


def columns_with(*contents: Mapping[str, str]) -> tuple[Column[Any], ...]:
    """Return the columns of every table that hold these contents, such as PERSON."""
    every = (column for table in metadata.tables.values() for column in table.columns)
    return tuple(column for column in every if column.info in contents)
