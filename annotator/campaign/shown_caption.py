"""A caption as screens show it: its tokens, and the text between them."""

from __future__ import annotations

import msgspec

from panelwise.domain import Caption


class Token(msgspec.Struct, frozen=True):
    """A token of the caption. space, newline: what follows it before the next token; gap: other text that does."""

    id: int
    start: int
    end: int
    text: str
    space: bool
    newline: bool
    gap: str


class ShownCaption(msgspec.Struct, frozen=True):
    """A caption with its tokens."""

    text: str
    tokens: tuple[Token, ...]


def shown_caption(caption: Caption) -> ShownCaption:
    """Return the caption as screens show it."""
    tokens = []
    for position, span in enumerate(caption.tokens):
        following = caption.tokens[position + 1].start if position + 1 < len(caption.tokens) else len(caption.text)
        between = caption.text[span.end : following]
        tokens.append(
            Token(
                id=position,
                start=span.start,
                end=span.end,
                text=caption.words[position],
                space=any(letter.isspace() for letter in between),
                newline="\n" in between,
                gap=between.strip(),
            )
        )
    return ShownCaption(caption.text, tuple(tokens))
