"""The access table: every route and the roles that may use it.

A route that is not named here is for reviewers and leads only; a test asks that each is named. What a role may do
with a figure or a name is checked by the services; this says who gets as far as that.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from flask import url_for

from annotator.own_tasks.tasks import own_phases
from annotator.store.queries.figures import Shown
from annotator.web.app import context
from panelwise.domain import Person, Role

#: Whoever adjudicates figures.
ADJUDICATORS = frozenset({Role.REVIEWER, Role.LEAD})
#: Whoever runs the campaign.
LEADING = frozenset({Role.LEAD})
#: Annotators, and people who may see annotators' results.
HEARING = frozenset({Role.ANNOTATOR, Role.LEAD})
#: Whoever has a role of any kind.
EVERYBODY = frozenset(Role)


class Blindfold(Enum):
    """The access of blind annotators to a route; enforced by `web.app.blindfold`.

    OPEN: it shows no one's work. LEAVES_OUT: it leaves those figures out by itself. BY_FIGURE: it is refused for
    those figures. CLOSED: it is refused while there are any, for it shows what is made of all figures together.
    """

    OPEN = "open"
    LEAVES_OUT = "leaves out"
    BY_FIGURE = "by figure"
    CLOSED = "closed"


class Work(Enum):
    """The figures on which a route shows others' work, beside those that its page notes; see `web.app.seen`."""

    NONE = "none"
    OF_FIGURE = "of the figure that the address names"
    OF_ALL = "of all figures"


@dataclass(frozen=True, slots=True)
class Access:
    """Whom a route is for. roles: one of them is enough; None for everyone, signed in or not.

    page: a stranger who opens it is sent to sign in, and then on to it; else the answer is 401. by_itself: an open
    page asks for it, not a person, so it keeps no idle session alive. blindfold: what it is to somebody who
    annotates blind; where that is not said, it is closed to them. work: on which figures it shows others' work.
    """

    roles: frozenset[Role] | None
    page: bool = False
    by_itself: bool = False
    blindfold: Blindfold = Blindfold.CLOSED
    work: Work = Work.NONE


_PUBLIC = Access(None, blindfold=Blindfold.OPEN)
_ADJUDICATING = Access(ADJUDICATORS)
_ADJUDICATING_PAGE = Access(ADJUDICATORS, page=True)
_OF_FIGURE = Access(ADJUDICATORS, blindfold=Blindfold.BY_FIGURE)
_WORK_OF_FIGURE = Access(ADJUDICATORS, blindfold=Blindfold.BY_FIGURE, work=Work.OF_FIGURE)
_WORK_PAGE = Access(ADJUDICATORS, page=True, blindfold=Blindfold.BY_FIGURE, work=Work.OF_FIGURE)
_ALL_WORK = Access(LEADING, work=Work.OF_ALL)
_LISTING_PAGE = Access(ADJUDICATORS, page=True, blindfold=Blindfold.LEAVES_OUT)
_LEADING = Access(LEADING, blindfold=Blindfold.OPEN)
_LEADING_PAGE = Access(LEADING, page=True, blindfold=Blindfold.OPEN)
_LEADING_LIST = Access(LEADING, page=True, blindfold=Blindfold.LEAVES_OUT)
_BLIND = Access(ADJUDICATORS, blindfold=Blindfold.OPEN)
# The service checks whose task it is: these screens show no one else's work.
_OWN_TASK = Access(EVERYBODY, blindfold=Blindfold.OPEN)
_OWN_TASK_PAGE = Access(EVERYBODY, page=True, blindfold=Blindfold.OPEN)

#: Endpoint -> whom it is for.
ROUTES = MappingProxyType(
    {
        "static": _PUBLIC,
        # The documentation, which is the same for every campaign.
        "help.show": _PUBLIC,
        "help.image": _PUBLIC,
        "help.schema": _PUBLIC,
        "health.show": _PUBLIC,
        "health.ready": _PUBLIC,
        # By token, or from this machine only: see `web.api.metrics`.
        # Its numbers are of all figures: closed to the session of a blind annotator.
        "metrics.show": Access(None),
        "login.sign_in": _PUBLIC,
        "login.submit": _PUBLIC,
        "login.sign_out": _PUBLIC,
        "account.welcome": _PUBLIC,
        "account.accept": _PUBLIC,
        "account.show": Access(EVERYBODY, page=True, blindfold=Blindfold.OPEN),
        "account.change_password": Access(EVERYBODY, blindfold=Blindfold.OPEN),
        "account.make_token": Access(EVERYBODY, blindfold=Blindfold.OPEN),
        "account.revoke_token": Access(EVERYBODY, blindfold=Blindfold.OPEN),
        "account.sign_ins": Access(LEADING, page=True, blindfold=Blindfold.OPEN),
        "people.show": _LEADING_LIST,
        "people.add": _LEADING,
        "people.link": _LEADING,
        "people.set_roles": _LEADING,
        "people.set_active": _LEADING,
        "people.set_email": _LEADING,
        "people.invite_to_studio": _LEADING,
        "uploads.show": _LEADING_LIST,
        "uploads.begin": _LEADING,
        "uploads.sizes": _LEADING,
        "uploads.write": _LEADING,
        "uploads.start": _LEADING,
        "uploads.remove": _LEADING,
        "uploads.leave": _LEADING,
        "uploads.columns": _LEADING_PAGE,
        "uploads.choose_columns": _LEADING,
        "figure_view.show": Access(LEADING, page=True, blindfold=Blindfold.BY_FIGURE, work=Work.OF_FIGURE),
        "assignment.show": _LEADING_LIST,
        "assignment.assign": Access(LEADING, blindfold=Blindfold.LEAVES_OUT),
        "assignment.change": Access(LEADING, blindfold=Blindfold.LEAVES_OUT),
        "settings.new": _LEADING_PAGE,
        "settings.create": _LEADING,
        "settings.show": _LEADING_PAGE,
        "settings.save": _LEADING,
        # What a job makes is made of everybody's work.
        "jobs.show": Access(LEADING, page=True),
        "jobs.start": Access(LEADING),
        "jobs.job": Access(LEADING, page=True),
        "jobs.cancel": Access(LEADING),
        "jobs.curves": Access(LEADING),
        "jobs.download": _ALL_WORK,
        "jobs.released": _ALL_WORK,
        "jobs.whole_release": _ALL_WORK,
        "release.show": Access(LEADING, page=True),
        "release.make": Access(LEADING),
        "dashboard.show": _LEADING_LIST,
        "feedback.show": Access(HEARING, page=True),
        "feedback.figure": Access(HEARING, page=True, work=Work.OF_FIGURE),
        "feedback.full": Access(HEARING, blindfold=Blindfold.BY_FIGURE),
        "feedback.thumbnail": Access(HEARING, blindfold=Blindfold.BY_FIGURE),
        "queue.show": _LISTING_PAGE,
        "agreement.show": _ADJUDICATING_PAGE,
        "figure.show": _WORK_PAGE,
        "figure.loose": _WORK_PAGE,
        "figure.withdraw": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "figure.restore": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "figure.new_caption": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "figure.new_image": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "figure.check_image": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "figure.compare_image": Access(LEADING, page=True, blindfold=Blindfold.BY_FIGURE),
        "figure.uploaded_image": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "figure.confirm_image": Access(LEADING, blindfold=Blindfold.BY_FIGURE),
        "items.show": _WORK_PAGE,
        "history.show": _WORK_PAGE,
        "history.restore": _OF_FIGURE,
        "history.reopen": _OF_FIGURE,
        "history.send": _OF_FIGURE,
        "history.withdraw": _OF_FIGURE,
        "history.flagged": _LISTING_PAGE,
        "image.full": _OF_FIGURE,
        "image.thumbnail": _OF_FIGURE,
        "guidelines.show": Access(EVERYBODY, blindfold=Blindfold.OPEN),
        "api.state": _WORK_OF_FIGURE,
        "api.decide": _OF_FIGURE,
        "api.findings": Access(ADJUDICATORS, by_itself=True, blindfold=Blindfold.BY_FIGURE),
        "items.state": _WORK_OF_FIGURE,
        "items.decide": _OF_FIGURE,
        "items.findings": Access(ADJUDICATORS, by_itself=True, blindfold=Blindfold.BY_FIGURE),
        "taking.look": Access(ADJUDICATORS, by_itself=True, blindfold=Blindfold.BY_FIGURE),
        "taking.skip": _OF_FIGURE,
        "taking.bring_back": Access(ADJUDICATORS, blindfold=Blindfold.OPEN),
        "comments.show": _WORK_OF_FIGURE,
        "comments.add": _OF_FIGURE,
        "comments.read": _OF_FIGURE,
        "bulk.show": _LISTING_PAGE,
        "bulk.finish": _OF_FIGURE,
        "bulk.undo": _ADJUDICATING,
        "blind.show": Access(ADJUDICATORS, page=True, blindfold=Blindfold.OPEN),
        "blind.screen": Access(ADJUDICATORS, page=True, blindfold=Blindfold.OPEN),
        "blind.hand_in": _BLIND,
        "blind.full": _BLIND,
        "blind.thumbnail": _BLIND,
        "blind.state": _BLIND,
        "blind.write": _BLIND,
        "own_tasks.show": _OWN_TASK_PAGE,
        "own_tasks.screen": _OWN_TASK_PAGE,
        "own_tasks.full": _OWN_TASK,
        "own_tasks.thumbnail": _OWN_TASK,
        "own_tasks.undo": _OWN_TASK,
        "own_tasks.state": _OWN_TASK,
        "own_tasks.submit": _OWN_TASK,
        "own_tasks.skip": _OWN_TASK,
        "own_tasks.findings": _OWN_TASK,
        "own_tasks.comments": _OWN_TASK,
        "own_tasks.comment": _OWN_TASK,
        "own_tasks.read_comments": _OWN_TASK,
        "own_tasks.undo_from_screen": _OWN_TASK,
        "v1.openapi": Access(EVERYBODY, blindfold=Blindfold.OPEN),
        "v1.me": Access(EVERYBODY, blindfold=Blindfold.OPEN),
        # As imported, and as their blind screens show them.
        "v1.figures": _BLIND,
        "v1.figure": _BLIND,
        "v1.image": _BLIND,
        "v1.figure_annotations": _WORK_OF_FIGURE,
        "v1.figure_decisions": _WORK_OF_FIGURE,
        "v1.decide": _OF_FIGURE,
        "v1.all_decisions": Access(ADJUDICATORS, blindfold=Blindfold.LEAVES_OUT),
        # With names, which reviewers do not learn.
        "v1.all_annotations": Access(LEADING, blindfold=Blindfold.LEAVES_OUT),
        # Leads read all, others their own; a blind lead not whether others have submitted a hidden figure.
        "v1.tasks": Access(EVERYBODY, blindfold=Blindfold.LEAVES_OUT),
        "v1.gold": _ALL_WORK,
        "v1.agreement": _ADJUDICATING,
        "v1.begin_upload": _LEADING,
        "v1.upload": _LEADING,
        "v1.add_piece": _LEADING,
        "v1.import_upload": _LEADING,
        "v1.jobs": Access(LEADING),
        "v1.start_job": Access(LEADING),
        "v1.job": Access(LEADING),
        "v1.job_log": Access(LEADING),
        "v1.job_file": _ALL_WORK,
        "v1.cancel_job": Access(LEADING),
    }
)


def access(endpoint: str) -> Access:
    """Whom a route is for."""
    return ROUTES.get(endpoint, _ADJUDICATING)


def may_open(person: Person, endpoint: str) -> bool:
    """Return whether the person has a role that the route is for."""
    roles = access(endpoint).roles
    return roles is None or bool(person.roles & roles)


def first_page(person: Person, target: str) -> str:
    """Return the first address after signing in: `target`, or the person's own page instead of the queue.

    A lead sets up a campaign that has no figures; an annotator goes to a page of their own.
    """
    if target != url_for("queue.show"):
        return target
    if Role.LEAD in person.roles and not context.snapshot().figures.gallery((), limit=1, shown=Shown.ALL):
        return url_for("settings.new")
    if may_open(person, "queue.show"):
        return target
    return url_for("own_tasks.show" if own_phases(context.home().campaign) else "account.show")
