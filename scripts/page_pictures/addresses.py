"""The pages of a campaign: name of the picture, who opens it, its address, and keys to press."""

from __future__ import annotations

from collections.abc import Iterator

from page_pictures.campaigns import ANNOTATOR, DILIGENT, LEAD, REVIEWER


def pages_of_all() -> Iterator[tuple[str, str, str, str]]:
    """Yield the pages that every campaign has alike: name, who opens it, address and keys."""
    yield "login", "", "login", ""
    yield "help", "", "help/", ""
    yield "help-page", "", "help/reference/files.md", ""
    yield "account", LEAD, "account", ""
    yield "account-annotator", ANNOTATOR, "account", ""
    yield "sign-ins", LEAD, "sign-ins", ""
    yield "keys-queue", REVIEWER, "", "?"
    yield "not-found", REVIEWER, "figures/no-such-figure", ""
    yield "not-found-annotator", ANNOTATOR, "no-such-page", ""
    yield "not-found-stranger", "", "welcome/no-such-link", ""
    yield "not-found-help", "", "help/no-such-page.md", ""
    yield "not-found-job", LEAD, "campaign/jobs/99", ""
    yield "forbidden", ANNOTATOR, "dashboard", ""
    for code in (400, 405, 409, 413, 415, 422, 429, 500, 503):
        yield f"error-{code}", LEAD, f"campaign/new?code={code}", ""


def pages(figure: str, decided: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the pages of a campaign, as `pages_of_all`. figure, decided: "" where there is none."""
    for name, address in {
        "new": "campaign/new",
        "settings": "campaign/settings",
        "figures": "campaign/figures",
        "people": "campaign/people",
        "assignment": "campaign/assignment",
        "assignment-plan": f"campaign/assignment?phase=1&annotator={DILIGENT}&annotator={ANNOTATOR}&overlap=2",
        "jobs": "campaign/jobs",
        "release": "campaign/release",
        "dashboard": "dashboard",
        "feedback-of-all": "feedback",
        "queue-of-lead": "",
    }.items():
        yield name, LEAD, address, ""
    for name, address in {
        "queue": "",
        "queue-all": "?show=all",
        "queue-adjudicated": "?show=settled",
        "agreed": "agreed/",
        "agreement": "agreement",
        "agreement-of-first": "agreement?phase=1",
        "flags": "flags",
        "blind": "blind",
        "feedback-of-reviewer": "feedback",
    }.items():
        yield name, REVIEWER, address, ""
    yield "tasks", ANNOTATOR, "tasks", ""
    yield "tasks-done", DILIGENT, "tasks", ""
    yield "feedback", DILIGENT, "feedback", ""
    if figure:
        of_figure = f"figures/{figure}"
        yield "figures-searched", LEAD, "campaign/figures?q=nothing-has-this", ""
        yield "figures-filtered", LEAD, "campaign/figures?shown=not+assigned", ""
        yield "figure-view", LEAD, f"campaign/{of_figure}", ""
        yield "feedback-of-one", LEAD, f"feedback?annotator={DILIGENT}", ""
        yield "queue-filtered", REVIEWER, "?q=nothing-has-this", ""
        yield "figure", REVIEWER, of_figure, ""
        yield "items", REVIEWER, f"{of_figure}/items", ""
        yield "history", REVIEWER, f"{of_figure}/history", ""
        yield "history-decided", REVIEWER, f"figures/{decided}/history", ""
        yield "figure-decided", REVIEWER, f"figures/{decided}", ""
        yield "keys-reviewer", REVIEWER, of_figure, "?"
        if decided:
            yield "feedback-figure", DILIGENT, f"feedback/figures/{decided}?phase=1", ""
