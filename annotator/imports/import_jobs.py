"""Imports of uploads, as background jobs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from annotator.campaign.home import Home
from annotator.imports.uploads import (
    UPLOADS,
    UnknownUpload,
    name_columns,
    remove_upload,
    unclear_table,
    upload_folder,
    upload_source,
)
from annotator.jobs.commands import JobKind, Requested, start
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import ONCE, Attempt, Job, job_of_attempt, jobs_of
from annotator.store.store import Store
from panelwise.domain import InvalidAnnotation


def import_upload(
    home: Home,
    store: Store,
    upload: str,
    by: str,
    requested: Requested,
    columns: Mapping[str, str],
    attempt: Attempt = ONCE,
) -> Job:
    """Import an upload as a job.

    requested: `revise`, `annotator`. columns: see `name_columns`; empty if the table has them. Raises
    UnknownUpload, InvalidAnnotation if the columns of its table are unclear, and as `start`.
    """
    if (before := job_of_attempt(home, by, attempt)) is not None:
        return before
    source = upload_source(upload_folder(home, upload))
    table = unclear_table(source)
    if table is not None and columns:
        name_columns(table, columns)
    elif table is not None:
        raise InvalidAnnotation(
            f"{table.path.name}: has no columns named image and caption but "
            f"{', '.join(table.table.columns)[:200]}; "
            'say in `columns` which they are, such as {"image": "file", "caption": "text"}'
        )
    return start(home, store, JobKind.IMPORT, by, {**requested, "source": str(source)}, attempt)


def remove_imported(home: Home) -> None:
    """Remove the files of uploads whose import is done: images are stored, and nothing else is needed."""
    for job in jobs_of(home):
        if job.request.kind == JobKind.IMPORT and job.state is JobState.DONE:
            for word in job.request.words:
                if f"{home.path / UPLOADS}/" in word:
                    with suppress(UnknownUpload):
                        remove_upload(home, Path(word).relative_to(home.path / UPLOADS).parts[0])
