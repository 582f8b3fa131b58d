"""Seconds of editing work by the keystroke-level model, from counts of operations.

Card, Moran and Newell, "The keystroke-level model for user performance time with interactive systems",
Communications of the ACM 23(7), 1980, pages 396-410: the time of an expert's errorless work is the sum of its
operators. Their values are the defaults here. One hand stays on the mouse and one on the keyboard, so no time is
spent on moving hands; the server's response time is the same in any case and left out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from panelwise.domain import AnnotatorError


@dataclass(frozen=True, slots=True)
class Operators:
    """Seconds of each operator; single letters, as in the paper.

    K: a key or mouse button, by an average skilled typist (55 words a minute). P: pointing by mouse. M: mental
    preparation. H: moving a hand between keyboard and mouse; not needed with a hand on each, and not used.
    """

    K: float = 0.20
    P: float = 1.10
    M: float = 1.35
    H: float = 0.40


#: The paper's values.
OPERATORS = Operators()


@dataclass(frozen=True, slots=True)
class Action:
    """An action in Label Studio or the adjudication view, as a string of operators: "MPKPK".

    what: description for the reference.
    """

    name: str
    operators: str
    what: str

    def seconds(self, operators: Operators = OPERATORS) -> float:
        """Return the sum of its operators."""
        return sum(float(getattr(operators, operator)) for operator in self.operators)


ADD_BOX = Action("add box", "MKPKP", "decide; the label's key; point at a corner; press; drag to the other corner")
ADJUST_BOX = Action("adjust box", "MPK", "decide; point at the box; click it; then one drag or two")
DRAG = Action("drag", "PKP", "point at a corner; press; drag it to its place")
DELETE = Action("delete", "MPKK", "decide; point at the box or span; click it; the delete key")
RELABEL = Action("relabel box", "MPKK", "decide; point at the box; click it; the right label's key")
ADD_SPAN = Action("add span", "MKPKP", "decide; the label's key; point at the first word; press; drag to the last")
LOOK = Action("look", "M", "look at the figure and its pre-labels; separately: each box with its text, too")
SUBMIT = Action("submit", "K", "the key that submits")

#: All actions, in the order of the reference.
ACTIONS = (LOOK, ADD_BOX, ADJUST_BOX, DRAG, DELETE, RELABEL, ADD_SPAN, SUBMIT)


def read_operators(settings: tuple[str, ...]) -> Operators:
    """Return the paper's values with these replacements: ("K=0.28", "M=1.2").

    Raises AnnotatorError, one line, for an invalid replacement.
    """
    names = [field.name for field in fields(Operators)]
    values: dict[str, float] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if name not in names or not 0.0 <= seconds < 3600.0:
            raise AnnotatorError(
                f'"{setting}" is no operator; give one of {", ".join(names)} with seconds, as "K=0.28"'
            )
        values[name] = seconds
    return Operators(**values)
