"""Options of the language model that reads captions, for `prelabel run` and `evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import refuse_typed
from annotator.cli.parameters import Number, Option, OptionGroup

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from prelabel.assistant import AssistedEngine
    from prelabel.runs import Engine

#: The key of a server that asks for one.
KEY = "PANELWISE_ASSISTANT_KEY"
#: Folder of its answers, in a campaign's home; a file of predictions has one beside it, `OUT.answers`.
ANSWERS = "answers"


class AssistantOptions(OptionGroup):
    """Options of the language model to ask. Raises UsageError for those that need another one."""

    assistant: Annotated[
        str | None,
        Option(
            f"OpenAI-compatible address of a language model to read captions; key in {KEY} or {KEY}_FILE.",
            metavar="URL",
        ),
    ]
    assistant_model: Annotated[str | None, Option("Name of the language model.", metavar="NAME")]
    assistant_below: Annotated[
        float,
        Option("Ask about figures with a subfigure scored lower.", type=Number(0.0, 1.0), default=0.8),
    ]
    assistant_images: Annotated[bool, Option("Send the image as well.")]
    assistant_limit: Annotated[
        int | None,
        Option("Maximum requests in this run; the next run continues.", type=click.IntRange(min=0)),
    ]
    assistant_rate: Annotated[int | None, Option("Maximum requests per minute.", type=click.IntRange(min=1))]
    assistant_prompt: Annotated[
        Path | None, Option("Instructions for the model [default: the campaign's, or the packaged ones].")
    ]

    def __post_init__(self) -> None:
        if self.assistant is not None and self.assistant_model is None:
            raise click.UsageError("--assistant needs --assistant-model NAME")
        if self.assistant is None:
            refuse_typed("needs --assistant URL", "assistant_model", "assistant_prompt")

    def for_home(self, engine: Engine, home: Home) -> AssistedEngine | None:
        """The engine with the language model, by the campaign's prompt; answers are stored in the home.

        None without a language model. Raises AnnotatorError if the campaign forbids language models, or for what
        is no address or key.
        """
        from panelwise.domain import FormatError
        from panelwise.settings import FILE_NAME

        if self.assistant is not None and not home.campaign.language_models:
            raise FormatError(
                f"{home.path / FILE_NAME}: language_models = false: the guidelines forbid language models; "
                "run without --assistant"
            )
        return self._around(engine, home.path / ANSWERS, home.settings.assistant.prompt)

    def for_file(self, engine: Engine, out: Path) -> AssistedEngine | None:
        """The same for a file of predictions: the packaged prompt, and answers in a folder beside `out`."""
        return self._around(engine, out.with_name(f"{out.name}.{ANSWERS}"), "")

    def _around(self, engine: Engine, answers: Path, prompt: str) -> AssistedEngine | None:
        from panelwise.settings import secret_setting
        from prelabel.assistant import AssistedEngine, ChatServer, packaged_prompt

        if self.assistant is None:
            return None
        server = ChatServer(
            self.assistant,
            self.assistant_model or "",
            key=secret_setting(KEY),
            most=self.assistant_limit,
            per_minute=self.assistant_rate,
        )
        return AssistedEngine(
            engine,
            server,
            answers,
            prompt=self._own_prompt() or prompt or packaged_prompt(),
            below=self.assistant_below,
            images=self.assistant_images,
        )

    def _own_prompt(self) -> str:
        from panelwise.domain import FormatError

        if self.assistant_prompt is None:
            return ""
        try:
            return self.assistant_prompt.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise FormatError(f"{self.assistant_prompt}: {reason}; --assistant-prompt needs a text file") from None
