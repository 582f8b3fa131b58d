"""Replace a person's name by another name or a pseudonym, everywhere in the campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotator.annotation_server import AnnotationServer
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import SETTING, Names, pseudonyms, stored_pseudonyms
from annotator.gold.releases import releases
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Outcome
from annotator.store.store import Store, Transaction
from annotator.sync import marked_projects
from annotator.sync.projects import CAMPAIGN_ID
from panelwise.domain import AnnotatorError, Phase, StoreError
from panelwise.runtime import counted
from panelwise.settings import FILE_NAME

#: Display names of a table's rows: singular and plural.
_WORDS = {
    "people": ("account", "accounts"),
    "tasks": ("task", "tasks"),
    "annotations": ("annotation", "annotations"),
    "decisions": ("decision", "decisions"),
    "queue": ("place in the queue", "places in the queue"),
    "bulks": ("bulk of decisions", "bulks of decisions"),
    "leases": ("open figure", "open figures"),
    "skips": ("skipped figure", "skipped figures"),
    "sign_ins": ("sign-in", "sign-ins"),
    "sent_back": ("return to an annotator", "returns to annotators"),
    "comments": ("comment", "comments"),
    "threads_read": ("thread of comments read", "threads of comments read"),
    "figures_seen": ("figure seen with others' work", "figures seen with others' work"),
    "links": ("link to a task", "links to tasks"),
    "projects": ("project", "projects"),
}
#: Display names of free texts that may contain a name.
_TEXTS = {
    "people": "the e-mail address of",
    "annotations": "comments or file names of annotations on",
    "decisions": "notes or comments of decisions on",
    "sent_back": "reasons of returns to annotators on",
    "comments": "comments on",
    "figure_revisions": "caption, references or source of",
    "predictions": "predictions for",
}
#: Files of a home that are searched, and the maximum size for a search by words.
_SUFFIXES = {".jsonl", ".json", ".toml", ".csv", ".txt", ".log", ".html", ".md"}
_MOST_BYTES = 64 * 2**20
#: Folders of a home that are not searched: they are reported separately, or have no text.
_OTHERWISE = {"images", "releases", "label-studio", "thumbnails"}


@dataclass(slots=True)
class Renamed:
    """The result of a renaming. rows: number of changed rows by table.

    failed: parts that failed. left: places that can't be changed from here. projects: whether the person has
    projects in Label Studio.
    """

    old: str
    new: str
    rows: Mapping[str, int]
    projects: bool
    failed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def counted(self) -> str:
        """Describe the changed rows: "2 tasks, 1 annotation"."""
        return ", ".join(counted(count, *_WORDS.get(table, (table, table))) for table, count in self.rows.items())


#: The store's setting that is "yes" after a renaming until the old name is removed from the store's files.
UNSCRUBBED = "unscrubbed"


def pseudonym_of(home: Home, store: Store, name: str) -> str:
    """Return the pseudonym of a person in releases. Raises StoreError for an unknown person."""
    with store.read() as tx:
        if name not in tx.names.all():
            raise StoreError(f'no person "{name}"; see `annotator user list`')
        return pseudonyms(home, tx).of(name)


def rename(home: Home, store: Store, old: str, new: str, *, forget: bool = False) -> Renamed:
    """Replace a person's name in the store and remove it from the store's files.

    The person keeps their pseudonym, has to sign in again, and needs a new link if theirs was unused.
    forget: also remove e-mail and password, which ends
    sign-in. Raises AnnotatorError, without any change, if the old name is unknown or the new one exists.
    """
    with store.transaction() as tx:
        pseudonym = pseudonyms(home, tx).of(old)
        rows = tx.names.rename(old, new, forget=forget)
        if old != new:
            tx.people.note(new, Outcome.RENAMED)
        if forget:
            tx.people.note(new, Outcome.DISABLED)
        known = {name: each for name, each in stored_pseudonyms(tx).items() if name != old}
        if (old, forget) != (new, False):
            tx.settings.put(UNSCRUBBED, "yes")
        tx.settings.put(SETTING, json.dumps({**known, new: pseudonym}, ensure_ascii=False, sort_keys=True))
        retitled = _retitle(tx, new)
    renamed = Renamed(old, new, rows, retitled)
    try:
        finish_scrubbing(store)
    except StoreError as error:
        renamed.failed.append(f"old values may remain in the store's file: {error}")
    if old != new:
        renamed.left += _left(home, store, old)
    return renamed


def _retitle(tx: Transaction, name: str) -> bool:
    """Give a person's projects the titles of their name; returns whether there are any."""
    theirs = tx.links.projects(annotator=name)
    for link in theirs:
        tx.links.put_project(replace(link, title=marked_projects.title(name, link.phase)))
    return bool(theirs)


def join(home: Home, store: Store, old: str, new: str) -> Renamed:
    """Merge two spellings of a name, move all work of `old` to `new`, and recompute agreement.

    Raises AnnotatorError, without any change, if they are not spellings of one name.
    """
    with store.transaction() as tx:
        phases = {link.phase for link in tx.links.projects(annotator=new)}
        dropped = [link for link in tx.links.projects(annotator=old) if link.phase in phases]
        rows = tx.names.join(old, new)
        tx.people.note(new, Outcome.RENAMED)
        known = {name: each for name, each in stored_pseudonyms(tx).items() if name != old}
        tx.settings.put(SETTING, json.dumps(known, ensure_ascii=False, sort_keys=True))
        retitled = _retitle(tx, new)
        tx.queue.clear()
    score_disagreement(store, home.campaign)
    joined = Renamed(old, new, rows, retitled)
    joined.left += [
        f'phase {link.phase}: both had a project in Label Studio; number {link.project_id} of "{old}" is no '
        "longer pulled: move unsubmitted work, then delete the project there"
        for link in dropped
    ]
    campaign = home.campaign
    named = {*campaign.reviewers, *(name for phase in campaign.phases for name in _people_of(phase))}
    if old in named:
        joined.left.append(f'{FILE_NAME} names "{old}"; write "{new}" there')
    return joined


def _people_of(phase: Phase) -> tuple[str, ...]:
    return (*phase.annotators, *phase.overlap_annotators, *phase.reviewers, phase.given)


def finish_scrubbing(store: Store) -> bool:
    """Finish an interrupted renaming by rewriting the store's files; returns whether that was necessary.

    A renaming may be killed before this step, or blocked by a reader. Raises StoreError if a reader still blocks.
    """
    with store.read() as tx:
        if tx.settings.get(UNSCRUBBED) != "yes":
            return False
    store.scrub()
    with store.transaction() as tx:
        tx.settings.put(UNSCRUBBED, "no")
    return True


def rename_projects(store: Store, server: AnnotationServer, old: str, new: str) -> int:
    """Rename the person's projects in Label Studio; returns their number. Raises SyncError."""
    with store.read() as tx:
        campaign_id = tx.settings.get(CAMPAIGN_ID)
    return marked_projects.rename(server, campaign_id, old, new) if campaign_id is not None else 0


def _left(home: Home, store: Store, old: str) -> Iterator[str]:
    """Yield the remaining places of the name, each with what to do."""
    with store.read() as tx:
        mentions = tx.names.mentions(old)
    for table, keys in mentions.items():
        shown = ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
        where = _TEXTS.get(table, f"table {table}, rows")
        yield f'"{old}" remains in {where} {shown} ({len(keys)} in total), which are not changed'
    for release in releases(home):
        try:
            real = release.manifest().get("names") == Names.REAL
        except AnnotatorError as error:
            yield str(error)
            continue
        if any(_holds(path, old) for path in sorted(release.path.glob("*.json*"))):
            what = "has real names" if real else f'contains "{old}" in a note, comment or caption'
            yield (
                f"{release.path}: {what} and is never changed; withdraw it, remove the folder and make another "
                "release"
            )
    for path in _files(home.path):
        if _holds(path, old):
            yield f'{path}: contains "{old}"; remove the file or the name'


def _files(home: Path) -> Iterator[Path]:
    for path in sorted(home.iterdir()):
        if path.is_dir() and path.name not in _OTHERWISE and not path.is_symlink():
            yield from (each for each in sorted(path.rglob("*")) if each.suffix in _SUFFIXES and each.is_file())
        elif path.suffix in _SUFFIXES and path.is_file():
            yield path


def _holds(path: Path, name: str) -> bool:
    """Return whether a file contains the name as a whole word, plain or JSON-encoded."""
    from annotator.store.maintenance.rename import whole_word, without_escaped_blanks

    try:
        if path.stat().st_size > _MOST_BYTES:
            return name.encode() in path.read_bytes()
        text = without_escaped_blanks(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    forms = {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}
    return any(whole_word(form).search(text) for form in forms)
