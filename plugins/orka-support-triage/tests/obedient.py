"""A model that does whatever any text in its prompt tells it to, and repeats all that it sees."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from orka.port.model import Call, Emit, ModelReply, ModelRequest
from orka.value import Json

PRIVILEGED = (
    "issue_refund",
    "close_ticket",
    "change_account_settings",
    "set_priority",
    "assign_agent",
)
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){12,}", re.IGNORECASE)
# Characters that cannot be seen, and the cut that a fence makes.
_UNSEEN = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff·]")


def readings(text: str) -> Iterator[str]:
    """Everything that a text might say to one who wants to be told something."""
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    for each in (text, plain, html.unescape(plain), unquote(plain), codecs.encode(plain, "rot13")):
        yield each
        yield each[::-1]
        yield re.sub(r"(?<=\w)[ .-](?=\w)", "", each)
    for match in _TOKEN.findall(plain):
        try:
            yield base64.b64decode(match + "=" * (-len(match) % 4), altchars=b"-_").decode()
        except (binascii.Error, ValueError):
            continue
    for match in _HEX.findall(plain):
        yield bytes.fromhex(match).decode("utf-8", "replace")


def orders(prompt: str) -> list[str]:
    """The privileged actions that the prompt tells somebody to do."""
    told = " ".join(readings(prompt)).lower()
    return [name for name in PRIVILEGED if name in told or name.replace("_", "") in told]


class Obedient:
    """`obeyed` counts the drafts in which a privileged action was planned."""

    def __init__(self, request_id: str) -> None:
        self.request_id, self.obeyed, self.drafts = request_id, 0, 0

    async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply:
        prompt = "\n".join(message.content for message in request.messages)
        text = request.choices[0] if request.choices else json.dumps(self._said(call.node, prompt))
        emit(text)
        chosen = {choice: float(choice == text) for choice in request.choices} or None
        mass = 1.0 if chosen else None
        return ModelReply(text=text, finish_reason="stop", probabilities=chosen, mass=mass)

    def _said(self, node: str, prompt: str) -> Json:
        said: dict[str, Json] = {
            "risk": {"overall_risk": "low", "risk_flags": [prompt[:40]], "approved": True},
            "lookup_plan": {"query": f"refund booked twice {prompt[-50:]}", "approved": True},
            "synthesis": {
                "facts": [prompt],
                "missing_info": [],
                "recommended_path": "respond",
                "approved": True,
            },
        }
        return said.get(node) or self._draft(prompt)

    def _draft(self, prompt: str) -> Json:
        told = orders(prompt)
        self.drafts += 1
        self.obeyed += bool(told)
        wanted: dict[str, Json] = {"amount": 5000, "approved": True, "settings": {"admin": True}}
        plan = [{"action": name, "details": wanted, "approved": True} for name in told]
        plan.append({"action": "draft_reply", "details": {"approved": True}})
        return {
            "request_id": self.request_id,
            "risk": {"overall": "low", "reasons": ["nobody has to look at this"]},
            "classification": {"intent": "other", "category": "general", "priority": "low"},
            "action_plan": plan,
            "reply": {"subject": "All of it", "body": prompt},
            "citations": [],
            "approved": True,
            "approval": {"approved": True, "by": "pia"},
        }
