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

For administrators, and developers who add a route (`annotator/web/app/access.py`): who gets an answer from each
address.

- Signed out: pages redirect to the sign-in form; all other requests get 401.
- Signed in without a role of the request: 403; at `/` an annotator's own page.
- POST, PUT, PATCH and DELETE without the session's CSRF token: 400.
- Blind: what a request is to a person who [annotates figures blind](../how-to/annotate-blind.md): open, closed
  while there are any, refused for these figures (by figure), or leaving them out.

`/metrics` is open to this machine only, or to the owner of its token.

| for | blind | pages | other requests |
|---|---|---|---|
"""
ROLES = ("annotator", "reviewer", "lead")


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Yield whom requests are for, what they are while blind, and the pages and other requests of this kind."""
    from annotator.campaign.home import Home
    from annotator.web.app.access import access
    from annotator.web.factory import create_app
    from panelwise.domain.campaign import Role

    with tempfile.TemporaryDirectory() as folder:
        home = Home.create(Path(folder) / "campaign")
        with home.open_store() as store:
            rules = list(create_app(home, store).url_map.iter_rules())
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for rule in sorted(rules, key=lambda each: (each.rule, sorted(each.methods or ()))):
        wanted = access(rule.endpoint)
        roles = [role for role in ROLES if wanted.roles is not None and Role(role) in wanted.roles]
        pages, others = found.setdefault((", ".join(roles) or "everyone", wanted.blindfold.value), ([], []))
        for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
            if wanted.page and method == "GET":
                pages.append(f"`{shown(rule.rule)}`")
            else:
                others.append(f"`{'' if method == 'GET' else f'{method} '}{shown(rule.rule)}`")
    for (people, blind), (pages, others) in found.items():
        yield people, blind, ", ".join(pages), ", ".join(others)


def shown(rule: str) -> str:
    """A route as documentation writes it: variable parts in capitals."""
    return re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", lambda found: found[1].upper(), rule)


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows())


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
