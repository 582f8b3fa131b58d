"""Options of the language model that reads captions, for `prelabel run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commandline import options, typed
from annotator.cli.numbers import Number
from annotator.cli.prelabel.options import FILE

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from prelabel.assistant import AssistedEngine
    from prelabel.runs import Engine

#: The key of a server that asks for one.
KEY = "PANELWISE_ASSISTANT_KEY"
#: Folder of its answers, in a campaign's home; a file of predictions has one beside it, `OUT.answers`.
ANSWERS = "answers"


@dataclass(frozen=True, slots=True)
class AssistantOptions:
    """The language model to ask. below, images: see `AssistedEngine`; most, per_minute: see `ChatServer`.

    prompt: a file of instructions; without one, the campaign's or the packaged ones.
    """

    url: str
    model: str
    below: float
    images: bool
    most: int | None
    per_minute: int | None
    prompt: Path | None

    def for_home(self, engine: Engine, home: Home) -> AssistedEngine:
        """The engine with the language model, by the campaign's prompt; answers are stored in the home.

        Raises AnnotatorError if the campaign forbids language models, or for what is no address or key.
        """
        from panelwise.domain import FormatError
        from panelwise.settings import FILE_NAME

        if not home.campaign.language_models:
            raise FormatError(
                f"{home.path / FILE_NAME}: language_models = false: the guidelines forbid language models; "
                "run without --assistant"
            )
        return self._around(engine, home.path / ANSWERS, home.settings.assistant.prompt)

    def for_file(self, engine: Engine, out: Path) -> AssistedEngine:
        """The same for a file of predictions: the packaged prompt, and answers in a folder beside `out`."""
        return self._around(engine, out.with_name(f"{out.name}.{ANSWERS}"), "")

    def _around(self, engine: Engine, answers: Path, prompt: str) -> AssistedEngine:
        from panelwise.settings import secret_setting
        from prelabel.assistant import AssistedEngine, ChatServer, packaged_prompt

        server = ChatServer(
            self.url, self.model, key=secret_setting(KEY), most=self.most, per_minute=self.per_minute
        )
        return AssistedEngine(
            engine,
            server,
            answers,
            prompt=self._own_prompt() or prompt or packaged_prompt(),
            below=self.below,
            images=self.images,
        )

    def _own_prompt(self) -> str:
        from panelwise.domain import FormatError

        if self.prompt is None:
            return ""
        try:
            return self.prompt.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise FormatError(f"{self.prompt}: {reason}; --assistant-prompt needs a text file") from None


_OPTIONS = options(
    click.option(
        "--assistant",
        metavar="URL",
        help=f"OpenAI-compatible address of a language model to read captions; key in {KEY} or {KEY}_FILE.",
    ),
    click.option("--assistant-model", metavar="NAME", help="Name of the language model."),
    click.option(
        "--assistant-below",
        type=Number(0.0, 1.0),
        default=0.8,
        show_default=True,
        help="Ask about figures with a subfigure scored lower.",
    ),
    click.option("--assistant-images", is_flag=True, help="Send the image as well."),
    click.option(
        "--assistant-limit",
        type=click.IntRange(min=0),
        help="Maximum requests in this run; the next run continues.",
    ),
    click.option("--assistant-rate", type=click.IntRange(min=1), help="Maximum requests per minute."),
    click.option(
        "--assistant-prompt",
        type=FILE,
        help="Instructions for the model [default: the campaign's, or the packaged ones].",
    ),
)


def assistant_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--assistant` and what belongs to it, passed to the command as one `assistant`, None without it."""

    @wraps(function)
    def with_assistant(
        *arguments: Any,
        assistant: str | None,
        assistant_model: str | None,
        assistant_below: float,
        assistant_images: bool,
        assistant_limit: int | None,
        assistant_rate: int | None,
        assistant_prompt: Path | None,
        **values: Any,
    ) -> Any:
        options = None
        if assistant is not None:
            if assistant_model is None:
                raise click.UsageError("--assistant needs --assistant-model NAME")
            options = AssistantOptions(
                assistant,
                assistant_model,
                assistant_below,
                assistant_images,
                assistant_limit,
                assistant_rate,
                assistant_prompt,
            )
        elif surplus := typed("assistant_model", "assistant_prompt"):
            raise click.UsageError(f"{surplus[0]} needs --assistant URL")
        return function(*arguments, assistant=options, **values)

    return _OPTIONS(with_assistant)
