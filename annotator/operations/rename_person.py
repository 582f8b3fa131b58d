"""A person's name replaced by another name or by a pseudonym, everywhere in the campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.campaign.pseudonyms import SETTING, Names, pseudonyms, stored_pseudonyms
from annotator.gold.releases import releases
from annotator.label_studio import projects
from annotator.queue.ranking import score_disagreement
from annotator.sync.projects import CAMPAIGN_ID
from panelwise.domain.errors import AnnotatorError, StoreError
from panelwise.runtime.plurals import counted
from panelwise.settings.campaign_toml import FILE_NAME

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.label_studio.server import AnnotationServer
    from annotator.store.store import Store
    from panelwise.domain.campaign import Phase

#: What a row of a table is, and several, for people.
_WORDS = {
    "people": ("account", "accounts"),
    "tasks": ("task", "tasks"),
    "annotations": ("annotation", "annotations"),
    "decisions": ("decision", "decisions"),
    "queue": ("place in the queue", "places in the queue"),
    "bulks": ("bulk of decisions", "bulks of decisions"),
    "leases": ("figure being looked at", "figures being looked at"),
    "skips": ("figure passed over", "figures passed over"),
    "sign_ins": ("sign-in", "sign-ins"),
    "links": ("link to a task", "links to tasks"),
    "projects": ("project", "projects"),
}
#: Where a name may stand in free text, for people.
_TEXTS = {
    "people": "the e-mail address of",
    "annotations": "comments or file names of annotations on",
    "decisions": "notes or comments of decisions on",
    "figure_revisions": "caption, references or source of",
    "predictions": "predictions for",
}
#: Files of a home that are looked into, and how much of each.
_SUFFIXES = {".jsonl", ".json", ".toml", ".csv", ".txt", ".log", ".html", ".md"}
_MOST_BYTES = 64 * 2**20
#: Folders of a home that are not: they are told of otherwise, or hold no text.
_OTHERWISE = {"images", "releases", "label-studio", "thumbnails"}


@dataclass(slots=True)
class Renamed:
    """A person under another name. rows: how many of each table bore the old one.

    failed: what was to be done and could not be, left: what cannot be changed from here, a line each.
    projects: whether the person has projects in Label Studio.
    """

    old: str
    new: str
    rows: Mapping[str, int]
    projects: bool
    failed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def counted(self) -> str:
        """How much bore the name: "2 tasks, 1 annotation"."""
        return ", ".join(counted(count, *_WORDS.get(table, (table, table))) for table, count in self.rows.items())


#: The store's setting that is "yes" from when a name was replaced until the files hold nothing of it any more.
UNSCRUBBED = "unscrubbed"


def pseudonym_of(home: Home, store: Store, name: str) -> str:
    """The pseudonym under which a person stands, or would stand, in releases. Raises StoreError for nobody."""
    with store.read() as tx:
        if name not in tx.names():
            raise StoreError(f'no person "{name}"; see `annotator user list`')
        return pseudonyms(home, tx).of(name)


def rename(home: Home, store: Store, old: str, new: str, *, forget: bool = False) -> Renamed:
    """Replace a person's name in the store, whose files hold nothing of it afterwards.

    The person keeps their pseudonym. Whoever is signed in under the old name must sign in again. forget: e-mail
    and password go as well, and the person can sign in no more. Raises AnnotatorError where nobody bears the old
    name, or somebody the new one; then nothing has changed.
    """
    with store.transaction() as tx:
        pseudonym = pseudonyms(home, tx).of(old)
        rows = tx.rename_person(old, new, forget=forget)
        known = {name: each for name, each in stored_pseudonyms(tx).items() if name != old}
        if (old, forget) != (new, False):
            tx.set_setting(UNSCRUBBED, "yes")
        tx.set_setting(SETTING, json.dumps({**known, new: pseudonym}, ensure_ascii=False, sort_keys=True))
        theirs = tx.projects(annotator=new)
        for link in theirs:
            tx.put_project(replace(link, title=projects.title(new, link.phase)))
    renamed = Renamed(old, new, rows, bool(theirs))
    try:
        finish_scrubbing(store)
    except StoreError as error:
        renamed.failed.append(f"the old values may still be found in the store's file: {error}")
    if old != new:
        renamed.left += _left(home, store, old)
    return renamed


def join(home: Home, store: Store, old: str, new: str) -> Renamed:
    """Make one person of two spellings of a name, give all work of `old` to `new`, and score agreement anew.

    Raises AnnotatorError where they are no spellings of one name; then nothing has changed.
    """
    with store.transaction() as tx:
        phases = {link.phase for link in tx.projects(annotator=new)}
        dropped = [link for link in tx.projects(annotator=old) if link.phase in phases]
        rows = tx.join_people(old, new)
        known = {name: each for name, each in stored_pseudonyms(tx).items() if name != old}
        tx.set_setting(SETTING, json.dumps(known, ensure_ascii=False, sort_keys=True))
        theirs = tx.projects(annotator=new)
        for link in theirs:
            tx.put_project(replace(link, title=projects.title(new, link.phase)))
        tx.forget_queue()
    score_disagreement(store, home.campaign)
    joined = Renamed(old, new, rows, bool(theirs))
    joined.left += [
        f'phase {link.phase}: both had a project in Label Studio; number {link.project_id} of "{old}" is no '
        "longer pulled: move what is not submitted, then delete it there"
        for link in dropped
    ]
    campaign = home.campaign
    named = {*campaign.reviewers, *(name for each in campaign.phases for name in _people_of(each))}
    if old in named:
        joined.left.append(f'{FILE_NAME} names "{old}"; write "{new}" there')
    return joined


def _people_of(phase: Phase) -> tuple[str, ...]:
    return (*phase.annotators, *phase.overlap_annotators, *phase.reviewers, phase.given)


def finish_scrubbing(store: Store) -> bool:
    """Rewrite the store's files where a name was replaced and they have not been since; whether that was so.

    A renaming that was killed before it came to that, or found a reader in the way, is finished so. Raises
    StoreError where a reader still is.
    """
    with store.read() as tx:
        if tx.setting(UNSCRUBBED) != "yes":
            return False
    store.scrub()
    with store.transaction() as tx:
        tx.set_setting(UNSCRUBBED, "no")
    return True


def rename_projects(store: Store, server: AnnotationServer, old: str, new: str) -> int:
    """Replace the name in the projects of Label Studio; returns how many those were. Raises SyncError."""
    with store.read() as tx:
        campaign_id = tx.setting(CAMPAIGN_ID)
    return projects.rename(server, campaign_id, old, new) if campaign_id is not None else 0


def _left(home: Home, store: Store, old: str) -> Iterator[str]:
    """Where the name still stands, and what to do about it."""
    with store.read() as tx:
        mentions = tx.mentions(old)
    for table, keys in mentions.items():
        shown = ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
        where = _TEXTS.get(table, f"table {table}, rows")
        yield f'"{old}" stands in {where} {shown} ({len(keys)} in all), which are kept as they were written'
    for release in releases(home):
        try:
            real = release.manifest().get("names") == Names.REAL
        except AnnotatorError as error:
            yield str(error)
            continue
        if any(_holds(path, old) for path in sorted(release.path.glob("*.json*"))):
            what = "bears real names" if real else f'holds "{old}" in a note, comment or caption'
            yield (
                f"{release.path}: {what} and is never rewritten; withdraw it and remove the folder, then make "
                "another release"
            )
    for path in _files(home.path):
        if _holds(path, old):
            yield f'{path}: holds "{old}"; remove the file or the name'


def _files(home: Path) -> Iterator[Path]:
    for path in sorted(home.iterdir()):
        if path.is_dir() and path.name not in _OTHERWISE and not path.is_symlink():
            yield from (each for each in sorted(path.rglob("*")) if each.suffix in _SUFFIXES and each.is_file())
        elif path.suffix in _SUFFIXES and path.is_file():
            yield path


def _holds(path: Path, name: str) -> bool:
    """Whether the name stands in a file, as it is or as JSON writes it, as a word of its own."""
    from annotator.store.maintenance.rename import whole_word, without_escaped_blanks

    try:
        if path.stat().st_size > _MOST_BYTES:
            return name.encode() in path.read_bytes()
        text = without_escaped_blanks(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    forms = {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}
    return any(whole_word(form).search(text) for form in forms)
