"""Run the migrations, on the connection and in the transaction of `annotator.store.database.schema`."""

from __future__ import annotations

from alembic import context

from annotator.store.database.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
