"""The checks of `annotator doctor` on Label Studio: connection, version, token and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from annotator.campaign.home import Home
from annotator.consensus.outdated import listed
from annotator.label_studio.answers import changed_by, part, parts
from annotator.label_studio.embedded import environment
from annotator.label_studio.embedded import server as embedded
from annotator.label_studio.isolation.rules import HEADER
from annotator.operations.doctor_store import of_clock
from annotator.operations.findings import Finding, good, note, wrong
from annotator.store.rows.records import ProjectLink
from annotator.store.store import Store
from annotator.sync.projects import is_on
from panelwise.domain import AnnotatorError
from panelwise.runtime import counted, http_client

if TYPE_CHECKING:
    import httpx

#: Timeout of one request in seconds.
TIMEOUT = 10.0
#: Tasks of one request, and requests at most, for the annotations' accounts.
PAGE, MOST_PAGES = 100, 50
#: An account that doesn't exist, to test the sign-in form without signing in.
_NOBODY = {"email": "doctor@panelwise.invalid", "password": "no account has this"}


def studio(home: Home, store: Store | None) -> Iterator[Finding]:
    """Check the server that the campaign uses. store: None if it can't be read."""
    url, token = home.label_studio.url, home.label_studio.token
    public = home.label_studio.public_url or url
    if not url:
        running = embedded.running(home.path)
        if running is None:
            yield from _own()
            return
        url, token = running.url, running.token
        public = url
    import httpx

    try:
        with http_client(url, TIMEOUT) as client:
            yield from _ask(client, url, public, token, _projects(home, store, url))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        yield wrong(
            "Label Studio",
            f"{url} does not answer ({str(error) or type(error).__name__})",
            "start it, or correct LABEL_STUDIO_URL",
        )


def _own() -> Iterator[Finding]:
    """Check the campaign's own server, which is not running."""
    if environment.find() is None:
        yield note(
            "Label Studio",
            "the campaign's own Label Studio is not installed yet",
            "annotator studio installs it, once; it takes about 1 GB",
        )
    else:
        yield good(
            "Label Studio",
            f"the campaign's own, {environment.VERSION}, is not running; start it with annotator studio",
        )


def _ask(
    client: httpx.Client, url: str, public: str, token: str, projects: Sequence[ProjectLink]
) -> Iterator[Finding]:
    before = datetime.now(UTC)
    health = client.get("/health")
    after = datetime.now(UTC)
    if health.status_code != 200 or "UP" not in health.text:
        yield wrong(
            "Label Studio", f"{url}/health answers {health.status_code}", "is another program on that port?"
        )
        return
    yield from _version(client, url)
    yield _isolation(health)
    yield from _clock(health, before, after)
    yield from _forms(client, public)
    if not token:
        yield wrong("token", "not set", "set LABEL_STUDIO_API_KEY; Account & Settings shows it")
        return
    headers = {"Authorization": f"Token {token}"}
    answer = client.get("/api/current-user/whoami", headers=headers)
    if answer.status_code != 200:
        yield wrong(
            "token",
            f"Label Studio rejects it ({answer.status_code})",
            "copy it from Account & Settings, Legacy Token; the server must allow legacy tokens",
        )
        return
    yield good("token", "Label Studio accepts it")
    yield from _files(client, headers, projects)
    yield from _authors(client, headers, projects, answer.json())


def _authors(
    client: httpx.Client, headers: dict[str, str], projects: Sequence[ProjectLink], me: Any
) -> Iterator[Finding]:
    """Look for annotations that another account than their own, or ours, changed last, in MOST_PAGES at most."""
    ours = me.get("id") if isinstance(me, dict) else None
    strange: list[str] = []
    left = MOST_PAGES
    for project in projects:
        number, more = 1, True
        while more and left:
            wanted: dict[str, str | int] = {
                "project": project.project_id,
                "page": number,
                "page_size": PAGE,
                "fields": "all",
            }
            tasks = _tasks(client, headers, wanted)
            strange += [
                f"task {task.get('id')} of {project.annotator}"
                for task in tasks
                for record in parts(task, "annotations")
                if changed_by(record) not in (None, ours)
            ]
            number, left, more = number + 1, left - 1, len(tasks) == PAGE
    if strange:
        changed = f"{counted(len(strange), 'annotation')} last changed by another account than its own"
        yield wrong(
            "authors",
            f"{changed}: {listed(strange)}",
            "look in Label Studio; if it is not the annotator's work, delete it there and send the figure back",
        )
    elif projects and left:
        yield good("authors", "each annotation was last changed by the account that submitted it")
    if not left:
        yield note(
            "authors",
            f"looked at the first {MOST_PAGES * PAGE} tasks only",
            "annotator pull --all names the others",
        )


def _projects(home: Home, store: Store | None, url: str) -> list[ProjectLink]:
    """Return the campaign's projects on this server; none if the store can't be read."""
    if store is None:
        return []
    try:
        with store.read() as tx:
            return [link for link in tx.links.projects() if is_on(home, url, link)]
    except AnnotatorError:
        return []


def _version(client: httpx.Client, url: str) -> Iterator[Finding]:
    found: Any = client.get("/api/version").json()
    version = str(found.get("release", "unknown")) if isinstance(found, dict) else "unknown"
    if version == environment.VERSION:
        yield good("Label Studio", f"{url} answers, version {version}")
    else:
        yield note(
            "Label Studio",
            f"{url} is version {version}; Panelwise is tested with {environment.VERSION}",
            f"install label-studio=={environment.VERSION}",
        )


def _isolation(answer: httpx.Response) -> Finding:
    """Return whether annotators reach their own projects only."""
    if HEADER in answer.headers:
        return good("isolation", "annotators reach their own projects only")
    return note(
        "isolation",
        "every account of this server can open, change and delete every project",
        "use the campaign's own Label Studio or the compose file, or a separate server for each annotator",
    )


def _clock(answer: httpx.Response, before: datetime, after: datetime) -> Iterator[Finding]:
    try:
        theirs = parsedate_to_datetime(answer.headers.get("Date", ""))
    except ValueError:
        return
    # The header has whole seconds: the true time is up to one second later.
    off = max((before - theirs).total_seconds() - 1, (theirs - after).total_seconds(), 0.0)
    yield of_clock("Label Studio", off)


def _forms(client: httpx.Client, url: str) -> Iterator[Finding]:
    """Check that people can sign in at that address: behind a proxy, the server must trust its origin.

    Sends the request as a proxy would; the cookie is set by hand, because it may be for HTTPS only.
    """
    named = {"Host": urlsplit(url).netloc}
    page = client.get("/user/login/", headers=named)
    cookie = page.cookies.get("csrftoken", "")
    client.cookies.clear()
    seal = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page.text)
    if page.status_code != 200 or seal is None:
        yield note("Label Studio", f"{url}/user/login/ shows no form ({page.status_code})", "open it in a browser")
        return
    answer = client.post(
        "/user/login/",
        data={"csrfmiddlewaretoken": seal[1], **_NOBODY},
        headers={**named, "Origin": url, "Referer": f"{url}/user/login/", "Cookie": f"csrftoken={cookie}"},
    )
    client.cookies.clear()
    if answer.status_code == 403:
        yield wrong(
            "Label Studio",
            f"rejects forms sent from {url}, so people can't sign in there",
            f"set CSRF_TRUSTED_ORIGINS={url} for the server, or open it at the address in LABEL_STUDIO_HOST",
        )
    else:
        yield good("Label Studio", "accepts sign-in forms")


def _files(client: httpx.Client, headers: dict[str, str], projects: Sequence[ProjectLink]) -> Iterator[Finding]:
    """Check that Label Studio shows the campaign's images, by a pushed one, else by the setting only."""
    image = _pushed_image(client, headers, projects)
    answer = client.get(image or "/data/local-files/?d=panelwise/doctor.png", headers=headers)
    if answer.status_code == 403:
        yield wrong(
            "images",
            "Label Studio doesn't serve local files",
            "start it with LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true and ..._DOCUMENT_ROOT",
        )
    elif not image:
        yield good("images", "Label Studio serves local files; no image pushed yet to test it")
    elif answer.status_code != 200:
        yield wrong(
            "images",
            f"Label Studio can't find a pushed figure's image ({answer.status_code})",
            "check LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT, then: annotator push --images-on-server DIR",
        )
    elif not answer.headers.get("Content-Type", "").startswith("image/"):
        yield wrong(
            "images", "a pushed figure's image is served as another kind of file", "check the file at its path"
        )
    else:
        yield good("images", "a pushed figure's image is served")


def _pushed_image(client: httpx.Client, headers: dict[str, str], projects: Sequence[ProjectLink]) -> str:
    """Return the address of one pushed image of the campaign; "" if none is pushed or accessible."""
    for project in projects[:5]:
        for task in _tasks(client, headers, {"project": project.project_id, "page_size": 1, "fields": "all"}):
            image = part(task, "data").get("image")
            if isinstance(image, str) and image.startswith("/data/local-files/"):
                return image
    return ""


def _tasks(client: httpx.Client, headers: dict[str, str], wanted: dict[str, str | int]) -> list[Mapping[str, Any]]:
    """Return a page of a project's tasks; none if the server does not list them."""
    answer = client.get("/api/tasks/", params=wanted, headers=headers)
    found: Any = answer.json() if answer.status_code == 200 else {}
    return parts(found, "tasks") if isinstance(found, dict) else []
