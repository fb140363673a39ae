"""Tools told in words, for models that have no channel for them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from orka.port.model import Message, ModelRequest, ToolOffer
from orka.value import canonical


def in_words(request: ModelRequest, offers: Sequence[ToolOffer]) -> ModelRequest:
    """The request with `offers` at the end of its first message, and earlier calls and their
    results as ordinary turns. No schema is enforced: a call has another form than the answer."""
    first, *rest = request.messages
    told = Message(first.role, f"{first.content}\n\n{_told(offers)}")
    turns: list[Message] = [told]
    for message in rest:
        turn = _turn(message)
        if turns[-1].role == turn.role and turn.role == "user":
            turns[-1] = Message("user", f"{turns[-1].content}\n{turn.content}")
        else:
            turns.append(turn)
    options = {key: item for key, item in request.options.items() if key != "structured"}
    return msgspec.structs.replace(request, messages=tuple(turns), options=options, schema=None)


def _told(offers: Sequence[ToolOffer]) -> str:
    lines = ["You may call these tools:"]
    for offer in offers:
        about = " ".join(offer.description.split())
        lines.append(f"- {offer.name}: {about} Arguments: {canonical(offer.schema).decode()}")
    lines.append(
        'To call one, answer with nothing but {"name": "<tool>", "arguments": {…}}. You will be '
        "told its result. Otherwise answer the question."
    )
    return "\n".join(lines)


def _turn(message: Message) -> Message:
    if message.role == "tool":
        return Message("user", f"Result of {message.name}: {message.content}")
    if message.tool_calls and not message.content:
        calls = [
            f'{{"name": {canonical(call.name).decode()}, "arguments": {call.arguments}}}'
            for call in message.tool_calls
        ]
        return Message(message.role, "\n".join(calls))
    return Message(message.role, message.content)
