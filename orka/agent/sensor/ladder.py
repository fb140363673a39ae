"""The strict ladder from the text of an answer to a value. Nothing is ever changed silently."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import msgspec

from orka.agent.sensor.broken import NOTHING, Broken, Cut
from orka.agent.sensor.calls import calls_in, calls_of_parts, is_call
from orka.agent.sensor.choose import chosen
from orka.agent.sensor.contract import Contract
from orka.agent.sensor.decoder import Decoded, decode
from orka.agent.sensor.fragments import Found, fragments, whole
from orka.agent.sensor.reading import Reading, Repair
from orka.value import Json

LARGEST = 1_000_000
# How providers say that an answer was cut off, and that the model would not give one.
CUT = (
    *("length", "max_tokens", "max_output_tokens", "model_length", "max_length", "incomplete"),
    "model_context_window_exceeded",
)
REFUSED = (
    *("refusal", "content_filter", "content_filtered", "safety", "recitation", "blocklist"),
    *("prohibited_content", "spii", "guardrail_intervened"),
)
_BRACKET = re.compile(r"[{\[]")
_MOST_PARTS = 64
_REASONING_PARTS = ("thinking", "reasoning", "redacted_thinking", "thought")


def read(
    text: Json,
    contract: Contract | None = None,
    finish_reason: str = "stop",
    *,
    tools: Sequence[str] = (),
    now: float | None = None,
) -> Reading:
    """The JSON value in `text` (or in its parts), if it keeps its contract. Never raises.

    With `tools`, calls of tools written as JSON are read too. `now` is what ages are measured by.
    """
    try:
        joined = text_of_parts(text)
        if cut := stopped(joined, finish_reason):
            return cut
        return (
            calls_of_parts(text, tools) or _unusable(joined) or _read(joined, contract, tools, now)
        )
    except ValueError as error:
        return _bad("syntax", str(error))
    except RecursionError:
        return _bad("too_deep", "it is nested too deep")


def _read(text: str, contract: Contract | None, tools: Sequence[str], now: float | None) -> Reading:
    try:
        alone = whole(text)
    except Broken as error:
        return _broken(error, text)
    if alone is None:
        return _within(text, contract, tools, now)
    found = [_opened(alone, contract, now)]
    return calls_in(found, tools, contract, now) or chosen(found, contract, now)


def read_object(text: str) -> Reading:
    """The object that a text consists of (alone or in a fence, reasoning aside), else the text."""
    try:
        alone = whole(text)
    except Broken:
        return Reading(value=text)
    if alone is not None:
        meant = isinstance(alone.value, dict)
        return Reading(value=alone.value, repairs=alone.repairs) if meant else Reading(value=text)
    parts = fragments(text)
    if parts.unclosed or parts.broken is not None or len(parts.found) != 1:
        return Reading(value=text)
    one = parts.found[0]
    if not isinstance(one.value, dict) or not (one.fenced or parts.prose.strip()[:1] == "{"):
        return Reading(value=text)
    return Reading(value=one.value, repairs=one.repairs)


def read_call(text: str, tools: Sequence[str]) -> Reading | None:
    """The calls of tools in a text, the violation of one that cannot be made, None without one."""
    try:
        alone = whole(text)
    except Broken:
        return None
    if alone is not None:
        return calls_in([Found(alone.value, 0, alone.end, alone.repairs)], tools, None, None)
    parts = fragments(text)
    return None if parts.unclosed else calls_in(parts.found, tools, None, None, text)


def text_of_parts(text: Json) -> str:
    """A text, or the texts of a list of parts, without the parts that hold reasoning.

    Raises `ValueError` for what is neither.
    """
    if text is None or isinstance(text, str):
        return text or ""
    parts = text if isinstance(text, list) else [text]
    joined: list[str] = []
    for part in parts:
        inner = part.get("text", part.get("content")) if isinstance(part, Mapping) else part
        if is_call(part) or (isinstance(part, Mapping) and part.get("type") in _REASONING_PARTS):
            continue
        if isinstance(inner, str):
            joined.append(inner)
        elif isinstance(inner, list):
            joined.append(text_of_parts(inner))
        elif not isinstance(part, Mapping) or "type" not in part:
            raise ValueError(f"the answer has a part that is no text: {type(part).__name__}")
    return "".join(joined)


def stopped(text: str, finish_reason: str) -> Reading | None:
    """The violation of an answer that was cut off or refused; None for one that is whole."""
    reason = finish_reason.casefold()
    if reason in CUT:
        message = f"the answer was cut off at the token limit (finish_reason {finish_reason})"
        if unclosed := fragments(text[:LARGEST]).unclosed:
            message += f", inside of {unclosed}"
        return _bad("truncated", message, partial=_partial(text))
    if reason in REFUSED:
        return _bad("refused", f"the model gave no answer (finish_reason {finish_reason})")
    return None


def _unusable(text: str) -> Reading | None:
    """What is wrong with an answer before it is read."""
    if not text.strip():
        return _bad("empty", "the answer is empty")
    if len(text) > LARGEST:
        return _bad("too_large", f"the answer has {len(text)} characters, more than {LARGEST}")
    return None


def _within(
    text: str, contract: Contract | None, tools: Sequence[str], now: float | None
) -> Reading:
    """What is in a text that is more than a value."""
    parts = fragments(text)
    if parts.unclosed:
        message = f"{parts.unclosed} is not closed: all of the answer is reasoning"
        return _bad("unterminated_reasoning", message)
    if calls := calls_in(parts.found, tools, contract, now, text):
        return calls
    if parts.broken is not None and (contract is None or not parts.found):
        return _broken(parts.broken, text)
    if parts.found:
        reading = chosen(parts.found, contract, now)
        if parts.broken is not None and not reading.ok:
            return _broken(parts.broken, text)
        return reading
    return _bare(text, parts.prose, contract, now) or _begun(parts.prose) or _none(parts.unopened)


def _opened(alone: Decoded, contract: Contract | None, now: float | None) -> Found:
    """A whole text's value; one that is JSON written as a string is opened, if it has to be."""
    found = Found(alone.value, 0, alone.end, alone.repairs)
    inner = alone.value.strip() if isinstance(alone.value, str) else ""
    if inner[:1] not in ("{", "["):
        return found
    if contract is not None and not _strictly(contract).judge(alone.value, now).problems:
        return found
    try:
        opened = whole(inner)
    except Broken:
        return found
    if opened is None or opened.repairs:
        return found
    repair = Repair("double_encoded", json.dumps(alone.value, ensure_ascii=False), opened.value)
    return Found(opened.value, 0, alone.end, (*alone.repairs, repair))


def _bare(text: str, prose: str, contract: Contract | None, now: float | None) -> Reading | None:
    """A text without JSON where the contract asks for a text."""
    bare = prose.strip()
    if contract is None or not bare:
        return None
    verdict = _strictly(contract).judge(bare, now)
    if verdict.problems:
        return None
    return Reading(value=bare, repairs=(Repair("bare_text", text, bare),))


def _strictly(contract: Contract) -> Contract:
    return msgspec.structs.replace(contract, coerce=False)


def _begun(prose: str) -> Reading | None:
    """What is wrong with a text that begins like JSON and is none."""
    if prose.lstrip()[:1] not in ("{", "["):
        return None
    try:
        decode(prose)
    except Broken as error:
        return _broken(error, prose)
    return None


def _none(unopened: str) -> Reading:
    after = f" after {unopened}" if unopened else ""
    return _bad(
        "syntax", f"not JSON: there is no JSON value in the answer{after}", where="offset 0"
    )


def _broken(error: Broken, text: str) -> Reading:
    if isinstance(error, Cut):
        return _bad("truncated", f"not JSON: {error.told}", error.where, partial=_partial(text))
    return _bad(error.kind, f"not JSON: {error.told}", error.where)


def _partial(text: str) -> Json:
    """What was whole of the value in a text that was cut: for a person to see, never an answer."""
    prose = fragments(text[:LARGEST]).prose
    whole: Json = None
    at = 0
    for _ in range(_MOST_PARTS):
        start = _BRACKET.search(prose, at)
        if start is None:
            break
        at = start.end()
        try:
            decoded = decode(prose, start.start())
            at, whole = decoded.end, decoded.value if whole is None else whole
        except Cut as cut:
            return whole if cut.partial is NOTHING else cut.partial
        except Broken:
            continue
    return whole


def _bad(kind: str, message: str, where: str = "", partial: Json = None) -> Reading:
    return Reading(ok=False, kind=kind, message=message, where=where, partial=partial)
