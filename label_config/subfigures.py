"""The labelling config for subfigures on the figure and, with the same labels, subcaptions in the caption."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from label_config import names
from label_config.hotkeys import hotkeys
from label_config.instructions import STYLE
from label_config.palette import colours

_HINT = (
    "Press a label's key, then drag: a box on the figure, a passage in the caption; "
    "drag again for more passages. Ctrl+drag draws inside a box."
)

_SKIPPING = (
    "Reject figure, then Submit: the figure is unfit for the campaign. Skip: you leave the figure out, "
    "and none of your work on it counts."
)

_STYLE = """
.pw-hint :is(h1, h2, h3, h4, h5, h6, div, span) { font-size: 13px !important; line-height: 18px !important;
  font-weight: 400 !important; margin: 0 !important; }
.pw-hint { opacity: .8; margin: 0 0 6px; }
.pw-title :is(h1, h2, h3, h4, h5, h6) { font-size: 13px !important; line-height: 18px !important;
  margin: 0 0 4px !important; }
.pw-palette { max-height: 92px; overflow-y: auto; margin-bottom: 6px; }
.pw-palette .lsf-label { height: 24px; padding: 0 6px; margin: 0 4px 5px 0 !important; font-size: 13px;
  line-height: 22px; }
.pw-palette .lsf-label__hotkey { font-size: 11px; margin-left: 5px; }
.pw-row { display: flex; gap: 14px; align-items: flex-start; }
.pw-figure { flex: 14 1 0; min-width: 0; }
.pw-text { flex: 10 1 0; min-width: 240px; position: sticky; top: 0; max-height: 88vh; overflow-y: auto; }
"""


def subfigure_config(
    labels: Sequence[str],
    *,
    granularity: str = "word",
    references: bool = True,
    hint: str = _HINT,
) -> str:
    """Return the labelling config as XML: boxes on the figure and caption spans from one palette.

    labels: names for subfigures, each once; a label has one colour and one key for both. granularity: unit that a
    selection in the caption snaps to, "word" or "symbol". references: show the article's mentions of the figure.
    Raises ValueError for no labels, an empty or repeated one, or an unknown granularity.
    """
    _check(labels, granularity)
    palette = "\n".join(_labels(labels))
    text = [
        f'<Text name="{names.CAPTION}" value="${names.DATA_CAPTION}" granularity="{granularity}" '
        'showLabels="true"/>',
    ]
    if references:
        text += [
            '<Collapse bordered="true"><Panel value="In the article">',
            f'<HyperText name="{names.REFERENCES}" value="${names.DATA_REFERENCES}" selectionEnabled="false"/>',
            "</Panel></Collapse>",
        ]
    return "\n".join(
        (
            "<View>",
            f"<Style>{_STYLE}{STYLE}</Style>",
            f'<View className="pw-hint"><Header value={quoteattr(hint)} size="6"/></View>',
            '<View className="pw-palette pw-texts">',
            f'<Labels name="{names.SUBCAPTION}" toName="{names.CAPTION}" showInline="true">',
            palette,
            "</Labels>",
            "</View>",
            '<View className="pw-row">',
            '<View className="pw-figure">',
            '<View className="pw-palette pw-boxes">',
            f'<RectangleLabels name="{names.SUBFIGURE}" toName="{names.FIGURE}" showInline="true" '
            'strokeWidth="3" opacity="0" canRotate="false">',
            palette,
            "</RectangleLabels>",
            "</View>",
            f'<Image name="{names.FIGURE}" value="${names.DATA_IMAGE}" zoom="true" zoomControl="true" '
            'rotateControl="false" defaultZoom="fit" maxHeight="calc(100vh - var(--pw-around, 210px))"/>',
            "</View>",
            '<View className="pw-text">',
            f'<View className="pw-title"><Header value="${names.DATA_TITLE}" size="6"/></View>',
            *text,
            *_status(),
            "</View>",
            "</View>",
            "</View>",
        )
    )


def _labels(labels: Sequence[str]) -> list[str]:
    """Return a <Label> for each; labels beyond the available keys have none."""
    keys = hotkeys(labels)
    return [
        f"  <Label value={quoteattr(label)} background={quoteattr(shade)}"
        + (f" hotkey={quoteattr(keys[label])}" if label in keys else "")
        + "/>"
        for label, shade in colours(labels).items()
    ]


def _status() -> tuple[str, ...]:
    """Return the choice to accept or reject the figure (Label Studio refuses a single choice).

    Without explicit keys the editor assigns plain letters, and typing elsewhere ticks a choice.
    """
    return (
        '<View className="pw-status">',
        f'<Choices name="{names.STATUS}" toName="{names.FIGURE}" choice="single-radio" showInline="true">',
        f'  <Choice value={quoteattr(names.STATUS_ACCEPT)} hotkey="ctrl+alt+g"/>',
        f'  <Choice value={quoteattr(names.STATUS_REJECT)} hotkey="ctrl+alt+x"/>',
        "</Choices>",
        "</View>",
        f'<View className="pw-hint"><Header value={quoteattr(_SKIPPING)} size="6"/></View>',
    )


def _check(labels: Sequence[str], granularity: str) -> None:
    if not labels:
        raise ValueError("a config needs at least one label")
    if not all(label and label == label.strip() for label in labels):
        raise ValueError("a label is empty or has blanks at its ends")
    if len(set(labels)) != len(labels):
        raise ValueError("a label is repeated")
    if granularity not in ("word", "symbol"):
        raise ValueError(f'granularity is "word" or "symbol", not "{granularity}"')
