"""Sentences of the running text that cite a simulated figure: "Figure 3A", "Fig. 3a,b", "Figures 3B-D"."""

from __future__ import annotations

from string import Template

from panelwise_simulator.captions.phrases.frames import FIGURE_REFERENCES, PAIRED_REFERENCES, REFERENCES
from panelwise_simulator.captions.phrases.language import capitalised, is_plural
from panelwise_simulator.captions.writing import Writer

_PLURALS = {"Figure": "Figures", "Fig.": "Figs.", "Fig": "Figs"}


def write_references(writer: Writer, number: int, *, lettered: bool) -> tuple[str, ...]:
    """One to four different sentences, which cite the figure or, where panels have letters, some of its panels."""
    dice = writer.dice
    name = dice.weighted({"Figure": 0.5, "Fig.": 0.4, "Fig": 0.1})
    style = dice.weighted({"{n}{l}": 0.75, "{n}({l})": 0.12, "{n}, {l}": 0.05, "{n} {l}": 0.08})
    sentences: list[str] = []
    labels = [panel.label for panel in writer.panels if panel.label in writer.nouns] if lettered else []
    for _ in range(1 + dice.below(4)):
        if len(labels) > 2 and dice.chance(0.3):
            start = dice.below(len(labels) - 1)
            cited = labels[start : start + 2 + dice.below(min(3, len(labels) - start - 1))]
        else:
            cited = [dice.pick(labels)] if labels else []
        sentences.append(_sentence(writer, cited, name, style, number))
    return tuple(dict.fromkeys(sentences))


def _sentence(writer: Writer, cited: list[str], name: str, style: str, number: int) -> str:
    dice = writer.dice
    figure = f"{name} {number}"
    noun = writer.topic.word("measure")
    if cited:
        list_of = writer.markers.joined(cited) if len(cited) > 1 else cited[0]
        several = len(cited) > 1 and dice.chance(0.5)
        figure = f"{_PLURALS[name] if several else name} {style.format(n=number, l=list_of)}"
        noun = _definite(writer.nouns[cited[0]])
    options = FIGURE_REFERENCES
    if len(cited) > 1:
        options, noun = PAIRED_REFERENCES, f"{noun} and {_definite(writer.nouns[cited[-1]])}"
    elif cited:
        options = REFERENCES
    many = figure.startswith(("Figures", "Figs"))
    text = Template(writer.topic.fill(dice.pick(options))).substitute(
        np=noun,
        Np=capitalised(noun),
        figure=figure,
        shows=dice.pick(("show", "illustrate") if many else ("shows", "illustrates")),
        showed=dice.pick(("showed", "revealed", "indicated")),
        **{"is": "are" if is_plural(noun) else "is"},
    )
    return capitalised(text)


def _definite(noun: str) -> str:
    """The noun with its article, but for those that have one or need none."""
    first = noun.partition(" ")[0]
    if first in {"the", "a", "an", "as", "same", "survival", "overall", "morphology", "expression", "growth"}:
        return noun
    return f"the {noun}"
