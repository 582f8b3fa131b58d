"""The cost of the first load of a page with its style sheets, scripts and icons, compressed."""

from __future__ import annotations

import gzip
import re

import pytest
from flask import Flask
from web.conftest import SignIn

from annotator.web.app.access import access

#: Bytes of the first load of any page, compressed.
MOST = 150_000
#: Values for the variable parts of addresses.
VALUES = {"figure_id": "f1", "annotator": "Zebulon-Q"}


def pages(app: Flask) -> list[str]:
    """The addresses of the pages that a lead opens; somebody's own tasks have the scripts of a figure."""
    with app.test_request_context():
        rules = [rule for rule in app.url_map.iter_rules() if access(rule.endpoint).page]
        known = [rule for rule in rules if rule.arguments <= VALUES.keys()]
        return sorted(
            {app.url_for(each.endpoint, **{key: VALUES[key] for key in each.arguments}) for each in known}
        )


@pytest.mark.slow
def test_the_first_load_of_any_page_is_under_150_kb_compressed(app: Flask, sign_in: SignIn) -> None:
    lead = sign_in("lead")
    seen = {}
    for address in pages(app):
        answer = lead.get(address)
        if answer.status_code != 200:
            continue
        html = answer.get_data()
        named = set(re.findall(rb'(?:href|src)="(/static/[^"]+)"', html))
        bodies = [html, *(lead.get(each.decode()).get_data() for each in sorted(named))]
        imported = {
            f"/static/dist/{name.decode()}"
            for body in bodies
            for name in re.findall(rb'(?:from|import)\s*\(?"\./([\w.-]+\.js)"', body)
        }
        bodies += [lead.get(each).get_data() for each in sorted(imported)]
        seen[address] = sum(len(gzip.compress(each)) for each in bodies)
    assert {"/", "/dashboard", "/figures/f1", "/campaign/figures", "/campaign/settings"} <= seen.keys()
    assert {address: size for address, size in seen.items() if size > MOST} == {}
    # It counts what it should: the figure's screen has the largest script.
    assert seen["/figures/f1"] > 30_000
