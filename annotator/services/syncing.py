"""What pushing to Label Studio and pulling from it share: whose tasks, and which project is theirs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotator.domain.errors import SyncError
from annotator.label_studio.client import is_loopback
from annotator.label_studio.embedded import images_folder
from annotator.label_studio.projects import Known
from annotator.label_studio.server import AnnotationServer
from annotator.store.records import ProjectLink
from label_config import names

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store, Transaction

#: The store's setting that holds the campaign's random id, which its projects on a server are marked with.
CAMPAIGN_ID = "label_studio_campaign_id"

#: Tasks of one import, and annotations of one transaction: a break loses at most so much work.
BATCH = 100


def assigned(
    store: Store, phase: str | None, annotators: Sequence[str] | None
) -> list[tuple[str, str, tuple[str, ...]]]:
    """(annotator, phase, figure ids) of the assigned tasks, in order; None asks for every phase or annotator.

    Raises SyncError where nothing is assigned, or nothing to one of `annotators`.
    """
    with store.read() as tx:
        tasks = tx.tasks(phase=phase)
    groups: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        if annotators is None or task.annotator in annotators:
            groups.setdefault((task.annotator, task.phase), []).append(task.figure)
    which = f'phase "{phase}"' if phase is not None else "any phase"
    missing = [name for name in annotators or () if not any(name == annotator for annotator, _ in groups)]
    if missing:
        raise SyncError(f'no task of {which} is assigned to "{missing[0]}"; run annotator assign')
    if not groups:
        raise SyncError(f"no task of {which} is assigned to anybody; run annotator assign")
    return [(annotator, name, tuple(sorted(set(ids)))) for (annotator, name), ids in sorted(groups.items())]


def check_still_called(tx: Transaction, annotator: str, phase: str) -> None:
    """Raise SyncError where the annotator was renamed meanwhile: the old name must not come in again."""
    if not tx.has_tasks(annotator, phase):
        raise SyncError(f'nobody with tasks of phase "{phase}" is called "{annotator}" any more; do that again')


def known_here(home: Home, server: AnnotationServer, link: ProjectLink | None) -> Known | None:
    """What `link` says of the project where it is a link to `server`, else None.

    The home's own server has a port of its own at each start: there any address of this machine will do.
    """
    if link is None:
        return None
    own = images_folder(home.path, server.url) is not None
    if link.server_url == server.url or (own and is_loopback(link.server_url)):
        return Known(link.project_id, link.title)
    return None


def source_of(task: Mapping[str, Any], known: Container[str]) -> tuple[str, int]:
    """(figure id, revision) of a task on the server. known: ids of figures.

    A task that was pushed before revisions were told bears the id alone, whatever that ends in.
    """
    source = str(task["data"].get(names.DATA_SOURCE, ""))
    figure_id, revision = names.figure_of_source(source)
    return (figure_id, revision) if figure_id in known or source not in known else (source, 1)
