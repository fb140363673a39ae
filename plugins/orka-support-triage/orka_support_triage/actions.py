"""What a tool does, in the words of permissions."""

from __future__ import annotations

from collections.abc import Mapping

# Other words for the same, by their action.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "draft_reply": ("draft_reply", "send_reply"),
    "request_more_info": ("request_more_info", "request_info"),
    "escalate": ("escalate", "escalate_ticket"),
    "tag_ticket": ("tag_ticket", "add_tag"),
    "set_priority": ("set_priority", "change_priority"),
    "assign_agent": ("assign_agent", "assign_to"),
    "close_ticket": ("close_ticket", "resolve_ticket"),
    "issue_refund": ("issue_refund", "refund"),
    "change_account_settings": ("change_account_settings",),
}
ACTION_OF: Mapping[str, str] = {word: name for name, words in _WORDS.items() for word in words}
# What only reads.
READING = ("kb_search", "account_lookup", "billing_lookup", "crm_lookup", "search")


def action_of(name: str) -> str:
    """The action that a tool, or another word for it, stands for; '' if nobody knows it."""
    word = name.strip().casefold()
    return word if word in READING else ACTION_OF.get(word, "")
