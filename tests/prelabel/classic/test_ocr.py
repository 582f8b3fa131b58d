"""Panel letters that are recognised: what is believed of the words, when they are asked for, what they change."""

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image, ImageDraw, ImageFont

from annotator.cli.prelabel import group
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import write_lines
from prelabel.classic import prelabeller
from prelabel.classic.prelabeller import ClassicPrelabeller, open_classic
from prelabel.panels.letters import ocr
from prelabel.panels.letters.find import Letter
from prelabel.panels.letters.ocr import RapidOcr, Word, merge_letters, read_letters

SHAPE = (100, 200)
CAPTION = "Two fields. (a) Before rain. (b) After rain."


def word(text: str, x: int, y: int, *, confidence: float = 0.99, height: int = 10) -> Word:
    """A word as wide as its characters, in a canvas of SHAPE."""
    wide = 0.6 * height * len(text)
    return Word((x / 200, y / 100, (x + wide) / 200, (y + height) / 100), text, confidence)


def labels_of(words: Sequence[Word], *labels: str) -> list[str]:
    return [each.label for each in read_letters(words, labels, SHAPE)[0]]


@pytest.mark.parametrize("text", ["b", "(b)", "b)", "[b]", "b.", "B", "(b) After rain", "b) After rain"])
def test_a_letter_is_read_alone_and_before_a_title(text: str) -> None:
    assert labels_of([word("(a)", 5, 5), word(text, 105, 5)], "a", "b") == ["a", "b"]


@pytest.mark.parametrize("text", ["but", "b after", "ab", "12 b", ""])
def test_other_words_are_no_letters(text: str) -> None:
    assert labels_of([word("(a)", 5, 5), word(text, 105, 5)], "a", "b") == ["a"]


def test_an_unsure_word_and_a_broad_one_are_no_letters() -> None:
    broad = Word((0.5, 0.05, 0.7, 0.1), "b", 0.99)
    assert labels_of([word("a", 5, 5, confidence=0.8), broad], "a", "b") == []


def test_a_letter_read_twice_or_of_another_size_is_believed_nowhere() -> None:
    words = [word("a", 5, 5), word("a", 5, 50), word("b", 105, 5), word("c", 5, 70, height=24), word("d", 9, 80)]
    assert labels_of(words, "a", "b", "c", "d") == ["b", "d"]


def test_capitals_are_told_from_small_letters_where_the_caption_has_both() -> None:
    assert labels_of([word("A", 5, 5), word("a", 105, 5)], "A", "a") == ["A", "a"]
    assert labels_of([word("A", 5, 5), word("B", 105, 5)], "a", "b") == ["a", "b"]


def test_without_a_caption_letters_that_run_on_name_the_panels() -> None:
    found, labels = read_letters(
        [word("A", 5, 5), word("B", 60, 5), word("D", 60, 60), word("x", 90, 90)], (), SHAPE
    )
    assert ([each.label for each in found], labels) == (["A", "B", "D"], ("A", "B", "C", "D"))
    assert read_letters([word("A", 5, 5), word("K", 60, 5)], (), SHAPE) == ((), ())
    assert read_letters([word("C", 5, 5), word("D", 60, 5)], (), SHAPE) == ((), ())


def test_what_is_read_stands_where_it_differs_from_what_was_found_by_shape() -> None:
    found = (Letter((5, 5, 11, 15), "a", 0.8), Letter((90, 90, 96, 100), "b", 0.8))
    read = (
        Letter((6, 6, 12, 16), "a", 0.99),
        Letter((105, 5, 111, 15), "b", 0.99),
        Letter((5, 60, 9, 70), "c", 0.95),
    )
    assert merge_letters(found, read, ("a", "b", "c")) == (found[0], read[1], read[2])


class Scripted:
    """A recogniser that reads what it is told, and counts."""

    version = "scripted"

    def __init__(self, *words: Word) -> None:
        self.found, self.asked = words, 0

    def words(self, _image: Image.Image) -> Sequence[Word]:
        self.asked += 1
        return self.found


def pictures(letters: str = "") -> Image.Image:
    """Two plots side by side, each under a letter where any are given."""
    image = Image.new("RGB", (880, 400), "white")
    draw = ImageDraw.Draw(image)
    for x, letter in ((40, letters[:1]), (480, letters[1:])):
        draw.rectangle((x, 80, x + 358, 378), outline="black", width=3)
        draw.line((x, 370, x + 150, 200, x + 350, 100), fill="black", width=3)
        draw.text((x, 16), letter, font=ImageFont.load_default(44), fill="black", stroke_width=1)
    return image


def labels_by_place(model: ClassicPrelabeller, image: Image.Image, caption: str = CAPTION) -> list[str]:
    figure = Figure("f1", "f1.png", *image.size, Caption.cut(caption), (), "", {}, {})
    found = model.predict(figure, image).subfigures
    return [each.label for each in sorted(found, key=lambda each: each.box.x0)]


def test_words_are_asked_for_where_letters_are_missing_only() -> None:
    reader = Scripted(Word((0.05, 0.05, 0.08, 0.15), "b", 0.99), Word((0.55, 0.05, 0.58, 0.15), "a", 0.99))
    model = ClassicPrelabeller(reader)
    assert labels_by_place(model, pictures("ab")) == ["a", "b"]
    assert reader.asked == 0
    assert labels_by_place(ClassicPrelabeller(), pictures()) == ["a", "b"]
    assert labels_by_place(model, pictures()) == ["b", "a"]
    assert reader.asked == 1
    assert model.version == "classic-8-scripted"


def test_letters_alone_make_plain_panels_no_fewer() -> None:
    reader = Scripted(Word((0.05, 0.05, 0.08, 0.15), "A", 0.99), Word((0.08, 0.7, 0.11, 0.8), "B", 0.99))
    plain = labels_by_place(ClassicPrelabeller(), pictures(), "")
    assert len(labels_by_place(ClassicPrelabeller(reader), pictures(), "")) == len(plain) == 2


def test_rapidocr_reads_letters_and_travels_to_other_processes() -> None:
    pytest.importorskip("rapidocr", reason="rapidocr is not installed; install panelwise[ocr]")
    model = pickle.loads(pickle.dumps(open_classic(ocr=True)))
    read, _ = read_letters(RapidOcr().words(pictures("BA")), ("A", "B"), (400, 880))
    assert [(each.label, each.rect[0] > 400) for each in read] == [("A", True), ("B", False)]
    assert labels_by_place(model, pictures("BA"), CAPTION.replace("(a)", "(A)").replace("(b)", "(B)")) == [
        "B",
        "A",
    ]


@pytest.mark.parametrize(("letters", "read"), [("ab", 1), ("", 2)])
def test_a_run_says_how_many_figures_were_read(
    letters: str, read: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "ocr_installed", lambda: True)
    monkeypatch.setattr(prelabeller, "RapidOcr", Scripted)
    figures = tmp_path / "figures.jsonl"
    for name, shown in (("f1", letters), ("f2", "")):
        pictures(shown).save(tmp_path / f"{name}.png")
    records = ({"figure_id": name, "image": f"{name}.png", "caption": CAPTION} for name in ("f1", "f2"))
    write_lines(figures, records)
    asked = ["run", str(figures), "--out", str(tmp_path / "out.jsonl"), "--ocr"]
    done = CliRunner().invoke(group, [*asked, "auto"])
    assert done.exit_code == 0, done.output
    assert f"OCR: read {read} figure" in done.stdout
    assert "OCR" not in CliRunner().invoke(group, [*asked, "off", "--again"]).output
