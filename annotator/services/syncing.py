"""What pushing to Label Studio and pulling from it share: whose tasks, and which project is theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.domain.errors import SyncError
from annotator.label_studio.client import is_loopback
from annotator.label_studio.embedded import images_folder
from annotator.label_studio.projects import Known
from annotator.label_studio.server import AnnotationServer
from annotator.store.records import ProjectLink

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store

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
