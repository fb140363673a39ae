"""Messages as the tokens a model was trained on, with a boundary that never moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from orka.errors import ModelError
from orka.port.model import Message


class Tokenize(Protocol):
    """Tokens of a text; with `special`, names of special tokens in it become these tokens."""

    def __call__(self, text: str, *, special: bool) -> list[int]: ...


_MARK = re.compile("\ue000([0-9]+)\ue001")


@dataclass(frozen=True)
class Prompt:
    """`head` ends with the system message's text and is always evaluated on its own, since
    splitting a prefill elsewhere changes the logits; `rest` is everything after it."""

    head: tuple[int, ...]
    rest: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.head) + len(self.rest)


@dataclass(frozen=True)
class ChatTemplate:
    """The template a GGUF carries. `render` is llama-cpp-python's formatter, `errors` its failures;
    `opening` is what every prompt of this model begins with."""

    render: Any  # llama_cpp.llama_chat_format.Jinja2ChatFormatter
    errors: tuple[type[Exception], ...]
    tokenize: Tokenize
    opening: str = ""

    def prompt(self, messages: Sequence[Message], where: str) -> Prompt:
        """The tokens of `messages`. Only the template's own words can be special tokens: what a
        message says cannot end it. Raises `ModelError` when the template refuses the roles."""
        marked = [{"role": m.role, "content": f"\ue000{at}\ue001"} for at, m in enumerate(messages)]
        try:
            text: str = self.render(messages=marked).prompt
        except self.errors as error:
            raise ModelError(
                f"the model's chat template refuses these messages: {error}",
                where=where,
                fix="use one system message first, then user and assistant in turn",
                code="model.refused",
                retryable=False,
            ) from error
        text = text if text.startswith(self.opening) else self.opening + text
        return self._tokens(text, messages, where)

    def _tokens(self, text: str, messages: Sequence[Message], where: str) -> Prompt:
        tokens: list[int] = []
        boundary = 0
        pieces = _MARK.split(text)
        if sorted(int(at) for at in pieces[1::2]) != list(range(len(messages))):
            raise ModelError(
                "the model's chat template does not show each message once",
                where=where,
                fix="use a model with a plain chat template",
                code="model.refused",
                retryable=False,
            )
        for place, piece in enumerate(pieces):
            if place % 2 == 0:
                tokens += self.tokenize(piece, special=True)
                continue
            message = messages[int(piece)]
            tokens += self.tokenize(message.content, special=False)
            boundary = len(tokens) if int(piece) == 0 and message.role == "system" else boundary
        return Prompt(tuple(tokens[:boundary]), tuple(tokens[boundary:]))
