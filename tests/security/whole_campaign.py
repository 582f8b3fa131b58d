"""A campaign that has something of everything, and people of every role: what attackers are let loose on."""

from __future__ import annotations

from pathlib import Path

from items_cases import a_qa_figure, edited, judged, kinds, verdicts
from web.asking import ANNOTATORS, PASSWORD
from web.blind_campaign import BLIND, TOML, blind_home

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from panelwise.domain.campaign import Role, Task
from panelwise.settings.campaign_toml import FILE_NAME

#: Beside those of the blind campaign: one who has every role, and nothing to annotate blind.
EVERYTHING = "every"
#: Figures of the campaign; the second one's id needs writing out in addresses.
FIGURES = ("f1", "q/1", "plain", "f3")
#: Figures that rev1 has to annotate blind.
BLIND_TASKS = BLIND
#: What that one annotates in Panelwise itself.
OWN_TASK = Task("f3", EVERYTHING, "own")
#: Guidelines with what pages make of text.
GUIDELINES = "# Lungs\n\n<script>alert(1)</script> *What* counts: [here](https://example.org).\n"


def whole_home(path: Path) -> Home:
    """The blind campaign, with guidelines, open feedback, and a figure with types and pairs."""
    home = blind_home(path)
    more = (
        '[[phases]]\nname = "types"\ntask_type = "figure-types"\n'
        '[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
        '[[phases]]\nname = "qa"\ntask_type = "figure-qa"\n[view]\nfeedback = true\nwrites_per_minute = 0\n'
    )
    text = TOML.format(given="gold").replace("'", '"') + more
    (home.path / FILE_NAME).write_text(text, encoding="utf-8")
    (home.path / "guidelines.md").write_text(GUIDELINES, encoding="utf-8")
    home = Home.find(path)
    figure = a_qa_figure("q/1")
    first, second = ANNOTATORS[:2]
    store = home.open_store()
    with store.transaction() as tx:
        tx.figures.add(figure)
        wrong = edited(figure, "q1", answer="<b>0.75</b>", note="שלום 🙂")
        tx.annotations.add(judged(figure, verdicts(figure, wrong), annotator=first))
        tx.annotations.add(judged(figure, verdicts(figure), annotator=second))
        tx.annotations.add(judged(figure, kinds(True, 2, "tree"), annotator=second, phase="types"))
    score_disagreement(store, home.campaign)
    accounts.add_person(store, EVERYTHING, roles=list(Role), password=PASSWORD)
    with store.transaction() as tx:
        tx.tasks.add([OWN_TASK])
    store.close()
    return home
