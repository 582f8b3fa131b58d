"""Annotators at work on types, pairs and answers in the real editor: what they choose and type is what arrives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase, digits
from typing import TYPE_CHECKING, Any

import pytest
from browsing import log_in_to_studio, open_items, submit

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import EmbeddedServer, access_file, storage_path
from annotator.label_studio.isolation.rules import FILE_VARIABLE
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.push import Pushed, push
from label_config import names
from panelwise.domain.annotation import Annotation
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.items import IMPOSSIBLE, UNANSWERABLE, FigureKind, HumanAnswer, QAKind, Verdict
from panelwise.formats.scivqa import SEED_IMPORTED
from panelwise.settings.campaign_toml import FILE_NAME
from tests.label_studio.item_cases import seven_pairs, with_pairs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.live

EMAIL, PASSWORD = "items@example.org", "annotators-pass-1"
PHASES = {"types": "figure-types", "qa": "figure-qa", "human": "human-eval"}
PAIRS = seven_pairs()
#: All that can be seen of what was chosen and typed.
STATE = """() => [...document.querySelectorAll('.pw-asked :is(input, textarea, button[data-value])')].map(
  each => [each.name, each.value, each.checked, each.dataset.value].join(' '))"""
EVERYTHING = f"{ascii_lowercase}{ascii_lowercase.upper()}{digits} ,.-?!/()[]<>+*#'"
#: Keys that the editor gives to choices by itself.
USUAL = f"{digits}qwertasdfgzxcvb"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A campaign with a phase of each kind, one figure to do in each."""
    path = tmp_path_factory.mktemp("items")
    Home.create(path, name="items", labels=("A",))
    text = (path / FILE_NAME).read_text(encoding="utf-8")
    tables = "".join(f'[[phases]]\nname = "{name}"\ntask_type = "{task}"\n' for name, task in PHASES.items())
    tables += '[[phases]]\nname = "few"\ntask_type = "figure-qa"\nfine_types = true\n'
    (path / FILE_NAME).write_text(text[: text.index("[[phases]]")] + tables, encoding="utf-8")
    (path / "guidelines.md").write_text("# How we annotate\n\n1. *Look* closely.\n", encoding="utf-8")
    return Home.find(path)


@pytest.fixture(scope="module")
def store(home: Home) -> Iterator[Store]:
    given = {"figure_type": "Line Chart,Heat Map", "compound": True, "figs_numb": "2"}
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(with_pairs(PAIRS, extra=given))
            tx.figures.add(with_pairs(PAIRS[:5], id="f2", image="images/f1.png", extra=given))
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), EMAIL))
            tx.tasks.add([*(Task("f1", "ann1", phase) for phase in PHASES), Task("f2", "ann1", "few")])
        yield store


@pytest.fixture(scope="module")
def server(studio: EmbeddedServer) -> Iterator[LabelStudioServer]:
    with LabelStudioServer(studio.url, studio.token) as server:
        server.ensure_account(EMAIL, PASSWORD)
        yield server


@pytest.fixture(scope="module")
def pushed(home: Home, store: Store, server: LabelStudioServer, studio_home: Path) -> dict[str, Pushed]:
    images = str(storage_path(studio_home))
    with pytest.MonkeyPatch.context() as patch:
        # The server is another home's: it reads whose the projects are there.
        patch.setenv(FILE_VARIABLE, str(access_file(studio_home)))
        return {step.phase: step for step in push(home, store, server, images=images)}


@pytest.fixture(scope="module")
def page(browser: Browser, studio: EmbeddedServer, pushed: dict[str, Pushed]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(180_000)
    page = context.new_page()
    log_in_to_studio(page, studio.url, EMAIL, PASSWORD)
    yield page
    context.close()


def opened(page: Page, pushed: dict[str, Pushed], phase: str) -> Locator:
    """The phase's task in the label stream; returns its blocks."""
    open_items(page, f"{pushed[phase].url}/data?labeling=1")
    return page.locator(".pw-block")


def keep_picture(page: Page, name: str) -> None:
    """Where somebody wants to look at the screens."""
    folder = os.environ.get("PANELWISE_SCREENSHOTS")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png")


def type_over_nothing(page: Page, keys: str = USUAL) -> None:
    """Type them while no field has the focus."""
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.type(keys)


def write(field: Locator, text: str) -> None:
    """Replace a field's text as a person does."""
    field.click()
    field.press("ControlOrMeta+a")
    field.page.keyboard.type(text)


def pulled(home: Home, store: Store, server: LabelStudioServer, phase: str) -> tuple[Any, Annotation]:
    """The pull's step, and the annotation that holds now."""
    [step] = pull(home, store, server, phase=phase)
    with store.read() as tx:
        [annotation] = tx.annotations.all(phase=phase)
    return step, annotation


def test_guidelines_are_the_projects_instructions_and_pushed_once(
    home: Home, store: Store, server: LabelStudioServer, pushed: dict[str, Pushed], studio_home: Path
) -> None:
    assert [step.problems for step in pushed.values()] == [[]] * 4
    before = {project.id: project for project in server.projects()}
    told = {phase: before[step.project_id].instructions for phase, step in pushed.items()}
    assert all("<ol><li><em>Look</em> closely.</li></ol>" in html for html in told.values())
    assert "language models" in told["human"]
    again = list(push(home, store, server, images=str(storage_path(studio_home))))
    assert [(step.added, step.seeded, step.unchanged) for step in again] == [(0, 0, 1)] * 4
    assert {project.id: project for project in server.projects()} == before


@pytest.mark.parametrize("phase", [*PHASES, "few"])
def test_typing_while_no_field_has_the_focus_changes_nothing(
    page: Page, pushed: dict[str, Pushed], phase: str
) -> None:
    opened(page, pushed, phase)
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    before = page.evaluate(STATE)
    keep_picture(page, phase)
    type_over_nothing(page, EVERYTHING)
    assert page.evaluate(STATE) == before


def test_types_that_are_filled_in_are_corrected(
    page: Page, home: Home, store: Store, server: LabelStudioServer, pushed: dict[str, Pushed]
) -> None:
    [block] = opened(page, pushed, "types").all()
    write(block.locator(f"input[name={names.COUNT}]"), "3")
    block.get_by_text("scatter plot").click()
    field = block.get_by_placeholder("Another type")
    field.click()
    page.keyboard.type("violin plot, graph 1")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Alt+f")  # its focus is in a field: no key reaches the choices
    page.locator(f"textarea[name={names.NOTES}]").fill("Bars, box plots?")
    type_over_nothing(page)
    keep_picture(page, "types-corrected")
    submit(page)
    step, annotation = pulled(home, store, server, "types")
    assert (step.added, step.findings, step.problems) == (1, [], [])
    assert annotation.items.kind == FigureKind(
        compound=True,
        count=3,
        types=frozenset({"line chart", "scatter plot", "Heat Map", "violin plot, graph 1"}),
        note="Bars, box plots?",
    )
    assert annotation.seeded_by == SEED_IMPORTED


def test_verdicts_and_edits_arrive_as_they_were_given(
    page: Page, home: Home, store: Store, server: LabelStudioServer, pushed: dict[str, Pushed]
) -> None:
    blocks = opened(page, pushed, "qa")
    page.get_by_test_id("bottombar-submit-button").click()
    page.get_by_text("Pair 1: choose Correct or Incorrect.Edit.").wait_for()
    page.get_by_role("button", name="OK").click()
    page.keyboard.press("Control+Alt+g")  # pair 2 is correct
    for pair in (0, 2, 3, 4):
        blocks.nth(pair).get_by_text(names.VERDICT_EDIT).click()
    write(blocks.nth(0).locator("textarea[name^=question1]"), "What colour, 1234 fghjkvb?")
    write(blocks.nth(0).locator("input[name^=answer1]"), "Rot, m\u00b2 \u20ac \U0001f600 \u8449")
    _choose(page, blocks.nth(2), names.KIND_IMPOSSIBLE)
    _choose(page, blocks.nth(3), QAKind.UNANSWERABLE.value)
    write(blocks.nth(3).locator("input[name^=answer4]"), UNANSWERABLE)
    write(blocks.nth(4).locator("textarea[name^=options5]"), "nero\nci\nsees\nda vedere")
    blocks.nth(1).get_by_placeholder("Note").fill("question is based solely on caption")
    for letter in "vb":
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(f"Control+Alt+{letter}")  # pairs 6 and 7 are correct
    before = page.evaluate(STATE)
    type_over_nothing(page)
    assert page.evaluate(STATE) == before
    keep_picture(page, "qa-edited")
    submit(page)

    step, annotation = pulled(home, store, server, "qa")
    assert (step.added, step.findings, step.problems) == (1, [], [])
    assert annotation.seeded_by is None
    correct, incorrect = Verdict.CORRECT, Verdict.INCORRECT
    said = {each.item: each for each in annotation.items.verdicts}
    assert [each.verdict for each in said.values()] == [
        *(incorrect, correct, incorrect, incorrect, incorrect, correct, correct)
    ]
    edits = {name: each.edited for name, each in said.items() if each.edited is not None}
    assert set(edits) == {"q1", "q3", "q4", "q5"}
    assert (edits["q1"].question, edits["q1"].answer) == (
        *("What colour, 1234 fghjkvb?", "Rot, m\u00b2 \u20ac \U0001f600 \u8449"),
    )
    assert edits["q1"].kind is PAIRS[0].kind
    assert (edits["q3"].question, edits["q3"].answer) == (IMPOSSIBLE, IMPOSSIBLE)
    assert (edits["q4"].kind, edits["q4"].question) == (QAKind.UNANSWERABLE, PAIRS[3].question)
    assert edits["q4"].answer == UNANSWERABLE
    assert edits["q5"].choices == ("nero", "ci", "sees", "da vedere")
    assert (edits["q5"].question, edits["q5"].answer) == (PAIRS[4].question, PAIRS[4].answer)
    assert said["q2"].note == "question is based solely on caption"
    assert said["q6"].edited is None


def test_an_edit_is_gone_once_the_pair_is_correct_after_all(
    page: Page, home: Home, store: Store, server: LabelStudioServer, pushed: dict[str, Pushed]
) -> None:
    """The screen hides the fields then, and the server gets nothing of them."""
    [task] = server.tasks(pushed["qa"].project_id)
    open_items(page, f"{pushed['qa'].url}/data?task={task['id']}")
    first = page.locator(".pw-block").first
    assert first.locator("textarea[name^=question1]").input_value() == "What colour, 1234 fghjkvb?"
    first.locator(f"input[name={names.VERDICT_CORRECT}]").click()
    with page.expect_response(lambda answer: "/annotations/" in answer.url and answer.request.method == "PATCH"):
        page.get_by_test_id("bottombar-update-button").click()
    step, annotation = pulled(home, store, server, "qa")
    assert (step.added, step.findings) == (1, [])
    said = {each.item: each for each in annotation.items.verdicts}
    assert (said["q1"].verdict, said["q1"].edited) == (Verdict.CORRECT, None)
    assert said["q5"].edited is not None


def test_blocks_without_a_pair_do_not_show_and_ask_for_nothing(
    page: Page, home: Home, store: Store, server: LabelStudioServer, pushed: dict[str, Pushed]
) -> None:
    blocks = opened(page, pushed, "few")
    assert [block.is_visible() for block in blocks.all()] == [*[True] * 5, False, False, True]  # types come last
    for letter in "fghjk":
        page.keyboard.press(f"Control+Alt+{letter}")
    blocks.nth(7).get_by_text("tree").click()
    submit(page)
    step, annotation = pulled(home, store, server, "few")
    assert (step.added, step.findings, step.problems) == (1, [], [])
    assert [each.verdict for each in annotation.items.verdicts] == [Verdict.CORRECT] * 5
    assert annotation.items.kind == FigureKind(True, 2, frozenset({"line chart", "Heat Map", "tree"}))


def test_answers_are_picked_written_or_ticked(
    page: Page, home: Home, store: Store, server: LabelStudioServer, pushed: dict[str, Pushed]
) -> None:
    blocks = opened(page, pushed, "human")
    assert "In the article" not in page.locator(".pw-row").inner_text()
    written = blocks.nth(0).get_by_placeholder("Your answer")
    written.click()
    page.keyboard.type("dark bluish fghjkvb 12")
    blocks.nth(1).get_by_text(names.INSTEAD_UNKNOWN).click()
    blocks.nth(1).get_by_placeholder("Note").fill("phrasing unclear")
    blocks.nth(2).get_by_placeholder("Your answer").fill("yes")
    assert not blocks.nth(4).get_by_placeholder("Your answer").is_visible()
    blocks.nth(4).get_by_text("D. vede").click()
    for option in ("C. sees", "B. ci"):
        blocks.nth(5).get_by_text(option).click()
    blocks.nth(6).get_by_text(names.INSTEAD_UNANSWERABLE).click()
    before = page.evaluate(STATE)
    type_over_nothing(page)
    assert page.evaluate(STATE) == before
    keep_picture(page, "human-answered")
    submit(page)
    step, annotation = pulled(home, store, server, "human")
    assert step.added == 1
    [unanswered] = step.problems
    assert 'pair 4 ("q4") is not answered' in unanswered
    assert annotation.items.answers == (
        HumanAnswer("q1", "dark bluish fghjkvb 12"),
        HumanAnswer("q2", None, "phrasing unclear"),
        HumanAnswer("q3", "yes"),
        HumanAnswer("q5", "D"),
        HumanAnswer("q6", "B,C"),
        HumanAnswer("q7", UNANSWERABLE),
    )


def _choose(page: Page, block: Locator, kind: str) -> None:
    """Another type from the list that opens, and is closed again."""
    option = page.get_by_role("option", name=kind, exact=True)
    block.locator("button[data-value]").click()
    option.wait_for()
    page.wait_for_timeout(300)  # the list moves as it opens
    option.click()
    block.locator(f'button[data-value="{kind}"]').wait_for()
    option.wait_for(state="hidden")
