"""Write docs/reference/access.md: who may open which address. With --check, only say whether it is fresh.

The rows are the routes of the app itself, the answers those that annotator/web/app/access.py means;
tests/security/test_access_table.py reads the page and asks the app for every cell of it.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).parent.parent / "docs" / "reference" / "access.md"
HEAD = """# Who may open what

Written from the app's own routes and the table in `annotator/web/app/access.py` by `scripts/write_access.py`. A
test asks the app for every cell of it, signed out and in every role, with the CSRF token of the session,
without one and with another person's; another keeps the page fresh.

| word | the answer |
|---|---|
| yes | the route's own: the request reaches it |
| sign in | 302, to the form, and after signing in on to the address |
| 401 | not signed in |
| 403 | signed in, without a role that the route is for |
| 400 | the CSRF token is missing, or is not that of this session |

A person with several roles may open what any of them may. "Blind" says what a route is to somebody who
[annotates figures blind](../how-to/annotate-blind.md): open, closed while there are any, refused for these
figures, or leaving them out. A route that the table does not know is for reviewers and leads, and closed to them
while they annotate blind. `/metrics` is open to this machine only, or to who has its token.

| address | method | signed out | annotator | reviewer | lead | without the CSRF token | blind |
|---|---|---|---|---|---|---|---|
"""
ROLES = ("annotator", "reviewer", "lead")
UNSAFE = frozenset(("POST", "PUT", "PATCH", "DELETE"))


def rows() -> Iterator[tuple[str, ...]]:
    """Each route and method, with what everybody gets."""
    from annotator.campaign.home import Home
    from annotator.web.app.access import access
    from annotator.web.factory import create_app
    from panelwise.domain.campaign import Role

    with tempfile.TemporaryDirectory() as folder:
        home = Home.create(Path(folder) / "campaign")
        with home.open_store() as store:
            rules = list(create_app(home, store).url_map.iter_rules())
    for rule in sorted(rules, key=lambda each: (each.rule, sorted(each.methods or ()))):
        wanted = access(rule.endpoint)
        for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
            stranger = "yes" if wanted.roles is None else "sign in" if wanted.page and method == "GET" else "401"
            allowed = ["yes" if wanted.roles is None or Role(role) in wanted.roles else "403" for role in ROLES]
            token = "400" if method in UNSAFE else "yes"
            yield (rule.rule, method, stranger, *allowed, token, wanted.blindfold.value)


def shown(rule: str) -> str:
    """A route as documentation writes it: variable parts in capitals."""
    return re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", lambda found: found[1].upper(), rule)


def text() -> str:
    """The whole page."""
    return HEAD + "".join(f"| `{shown(rule)}` | {' | '.join(rest)} |\n" for rule, *rest in rows())


def main() -> int:
    fresh = text()
    if "--check" in sys.argv:
        if FILE.is_file() and FILE.read_text(encoding="utf-8") == fresh:
            return 0
        print(f"{FILE}: stale; run scripts/write_access.py")
        return 1
    FILE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
