"""The help table: every screen, and the page of the documentation that opens from its header."""

from __future__ import annotations

from types import MappingProxyType

from flask import url_for

from annotator.web.help.pages import INDEX

_QUEUE = "how-to/work-through-the-queue.md"
_RUN = "how-to/run-a-campaign.md"
_ACCOUNTS = "how-to/accounts.md"
_WATCH = "how-to/watch-a-campaign.md"

#: Endpoint of a screen -> page of the documentation, with the heading that fits it.
TARGETS = MappingProxyType(
    {
        "login.sign_in": f"{_ACCOUNTS}#passwords",
        "login.submit": f"{_ACCOUNTS}#passwords",
        "account.welcome": f"{_ACCOUNTS}#passwords",
        "account.accept": f"{_ACCOUNTS}#passwords",
        "account.show": f"{_ACCOUNTS}#passwords",
        "account.change_password": f"{_ACCOUNTS}#passwords",
        "account.make_token": "how-to/use-the-api.md",
        "account.sign_ins": f"{_ACCOUNTS}#sessions",
        "people.show": _ACCOUNTS,
        "uploads.show": f"{_RUN}#your-figures",
        "uploads.columns": f"{_RUN}#your-figures",
        "assignment.show": f"{_RUN}#phases-batches-deadlines",
        "settings.new": f"{_RUN}#in-the-browser",
        "settings.show": "reference/campaign.md",
        "settings.save": "reference/campaign.md",
        "jobs.show": f"{_RUN}#in-the-browser",
        "jobs.job": f"{_RUN}#in-the-browser",
        "release.show": "how-to/release-gold.md#make-a-release",
        "dashboard.show": _WATCH,
        "feedback.show": "annotator.md",
        "feedback.figure": "annotator.md",
        "queue.show": _QUEUE,
        "agreement.show": "explanation/reading-the-agreement-report.md",
        "figure_view.show": _WATCH,
        "figure.compare_image": f"{_RUN}#your-figures",
        "figure.show": "reviewer.md",
        "figure.loose": "reviewer.md",
        "items.show": "how-to/types-pairs-and-answers.md#adjudicate",
        "history.show": f"{_QUEUE}#history",
        "history.flagged": _QUEUE,
        "bulk.show": _QUEUE,
        "blind.show": "how-to/annotate-blind.md",
        "blind.screen": "reviewer.md#write-blind",
        "own_tasks.show": "annotator.md",
        "own_tasks.screen": "annotator.md#a-figure-in-panelwise",
        "help.show": INDEX,
    }
)


def help_url(endpoint: str | None) -> str:
    """Return the address of the page that fits a screen; that of the contents for an error without one."""
    name, _, anchor = TARGETS.get(endpoint or "", INDEX).partition("#")
    return url_for("help.show", name=name, _anchor=anchor or None)
