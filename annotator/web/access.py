"""Who may open what: one table of every route and the roles that it is for.

A route that is not named here is for reviewers and leads only; a test asks that each is named. What a role may do
with a figure or a name is checked by the services; this says who gets as far as that.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from flask import url_for

from annotator.domain.campaign import Person, Role

#: Whoever settles figures.
SETTLING = frozenset({Role.REVIEWER, Role.LEAD})
#: Whoever runs the campaign.
LEADING = frozenset({Role.LEAD})
#: Whoever annotates, and whoever may look at how annotators do.
HEARING = frozenset({Role.ANNOTATOR, Role.LEAD})
#: Whoever has a role of any kind.
EVERYBODY = frozenset(Role)


@dataclass(frozen=True, slots=True)
class Access:
    """Whom a route is for. roles: one of them is enough; None for everyone, signed in or not.

    page: a stranger who opens it is sent to sign in, and then on to it; else the answer is 401. by_itself: an open
    page asks for it, not a person, so it keeps no idle session alive.
    """

    roles: frozenset[Role] | None
    page: bool = False
    by_itself: bool = False


_PUBLIC = Access(None)
_SETTLING = Access(SETTLING)
_SETTLING_PAGE = Access(SETTLING, page=True)
_LEADING_PAGE = Access(LEADING, page=True)

#: Endpoint -> whom it is for.
ROUTES = MappingProxyType(
    {
        "static": _PUBLIC,
        "health.show": _PUBLIC,
        "login.sign_in": _PUBLIC,
        "login.submit": _PUBLIC,
        "login.sign_out": _PUBLIC,
        "account.welcome": _PUBLIC,
        "account.accept": _PUBLIC,
        "account.show": Access(EVERYBODY, page=True),
        "account.change_password": Access(EVERYBODY),
        "account.sign_ins": _LEADING_PAGE,
        "dashboard.show": _LEADING_PAGE,
        "feedback.show": Access(HEARING, page=True),
        "feedback.figure": Access(HEARING, page=True),
        "feedback.full": Access(HEARING),
        "feedback.thumbnail": Access(HEARING),
        "queue.show": _SETTLING_PAGE,
        "agreement.show": _SETTLING_PAGE,
        "figure.show": _SETTLING_PAGE,
        "figure.loose": _SETTLING_PAGE,
        "history.show": _SETTLING_PAGE,
        "history.restore": _SETTLING,
        "history.reopen": _SETTLING,
        "history.flagged": _SETTLING_PAGE,
        "image.full": _SETTLING,
        "image.thumbnail": _SETTLING,
        "guidelines.show": _SETTLING,
        "api.state": _SETTLING,
        "api.decide": _SETTLING,
        "taking.look": Access(SETTLING, by_itself=True),
        "taking.skip": _SETTLING,
        "taking.bring_back": _SETTLING,
        "bulk.show": _SETTLING_PAGE,
        "bulk.finish": _SETTLING,
        "bulk.undo": _SETTLING,
    }
)


def access(endpoint: str) -> Access:
    """Whom a route is for."""
    return ROUTES.get(endpoint, _SETTLING)


def may_open(person: Person, endpoint: str) -> bool:
    """Whether the person has a role that the route is for."""
    roles = access(endpoint).roles
    return roles is None or bool(person.roles & roles)


def first_page(person: Person, target: str) -> str:
    """Where somebody goes who signed in: to `target`; who settles nothing, to a page of their own instead of the
    queue.
    """
    queue = url_for("queue.show")
    return url_for("account.show") if target == queue and not may_open(person, "queue.show") else target
