"""Take pictures of every page of the adjudication view, and of every state of it: four widths, light and dark.

    python scripts/picture_pages.py FOLDER [CAMPAIGN ...]

CAMPAIGN: subfigures, questions, answers or empty; without one, all four. Writes contact sheets and
FOLDER/CAMPAIGN/PAGE-WIDTH-SCHEME.png, and prints what is wrong: pages wider than their window, errors in the
console, what axe finds, cut text, controls too small for a finger or without a mark of focus, empty headings,
"1 figures". Pages that are the same in every campaign are pictured in the first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browsing import chromium
from flask import Flask, abort, request
from page_pictures.addresses import pages, pages_of_all
from page_pictures.campaigns import CAMPAIGNS, LEAD, PEOPLE, make_home
from page_pictures.shots import Shots
from page_pictures.states import take_lead_states, take_own_states

from annotator.accounts.invitations import invite
from annotator.demo import figures
from annotator.web import server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def _fail_on_demand(make_app: Callable[..., Flask]) -> Callable[..., Flask]:
    """Return a maker of apps whose page of new campaigns answers ?code=N with that error."""

    def make(*args: object, **options: object) -> Flask:
        app = make_app(*args, **options)
        usual = app.view_functions["settings.new"]
        app.view_functions["settings.new"] = lambda: abort(int(request.args["code"])) if request.args else usual()
        return app

    return make


def photograph(browser: Browser, name: str, folder: Path) -> list[str]:
    """Take pictures of every page of one campaign; returns what is wrong with them."""
    home = make_home(name, folder / "home")
    with home.open_store() as store, server.AdjudicationServer(home, store) as view:
        with store.read() as tx:
            known = [each.id for each in tx.figures.all()]
        shots = Shots(folder, view.url, browser)
        opened = {person: shots.open(person) for person in ("", *PEOPLE)}
        figure = quote(known[1]) if known else ""
        shared = pages_of_all() if name == next(iter(CAMPAIGNS)) else ()
        for page_name, person, address, keys in (*shared, *pages(figure, quote(known[-1]) if known else "")):
            shots.take(opened[person], page_name, address, keys=keys)
        link = invite(home, store, figures.SIMULATED[1] if known else LEAD)
        shots.take(opened[""], "welcome", f"welcome/{link}")
        if known:
            take_own_states(shots, home, known, blind=name == "subfigures")
            take_lead_states(shots, home, figure)
        shots.write_sheets()
    return shots.wrong


def main() -> int:
    """Picture the campaigns that are named, and print what is wrong with their pages; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="new or empty folder for the pictures")
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    chosen = parser.parse_args()
    names = chosen.campaigns or list(CAMPAIGNS)
    if unknown := [name for name in names if name not in CAMPAIGNS]:
        parser.error(f"no campaign is called {', '.join(unknown)}; choose from {', '.join(CAMPAIGNS)}")
    if filled := [name for name in names if (chosen.folder / name).exists()]:
        parser.error(f"{chosen.folder} holds {', '.join(filled)} already; name another folder")
    wrong: dict[str, list[str]] = {}
    server.create_app = _fail_on_demand(server.create_app)
    with chromium() as browser:
        for name in names:
            (chosen.folder / name).mkdir(parents=True)
            wrong[name] = photograph(browser, name, chosen.folder / name)
    print(json.dumps(wrong, indent=1))
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
