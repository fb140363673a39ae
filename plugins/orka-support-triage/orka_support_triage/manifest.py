"""What the module brings, and what it may touch."""

from __future__ import annotations

from orka.plugin.manifest import Manifest
from orka_support_triage.place import USUAL, VARIABLE, named


def _writes() -> tuple[str, ...]:
    """The desk's folder and all in it; of the usual one also the folder around it."""
    folder = named()
    around = (f"write:{USUAL.parent}",) if folder == USUAL else ()
    return (*around, f"write:{folder}", f"write:{folder}/**")


manifest = Manifest(
    name="support_triage",
    description="Support tickets: untrusted text, personal data, permissions, a human gate.",
    agents=(
        "envelope_validator",
        "redaction",
        "trust_boundary",
        "permission_gate",
        "output_verification",
        "decision_recorder",
        "risk_level_extractor",
    ),
    tools=(
        "kb_search",
        "account_lookup",
        "send_reply",
        "request_info",
        "escalate",
        "tag_ticket",
        "set_priority",
        "assign_agent",
        "close_ticket",
        "issue_refund",
        "change_account_settings",
        "file_outcome",
    ),
    commands=("triage-eval",),
    files=_writes(),
    env=(VARIABLE,),
)
