"""The rules for other languages: being told to drop the instructions, to show them, or that there
are no limits any more."""

from __future__ import annotations

from orka.kit.guards.injection.language import rules_of
from orka.kit.guards.injection.latin import LATIN
from orka.kit.guards.injection.scripts import SCRIPTS

FOREIGN = tuple(rules_of(LATIN | SCRIPTS))
