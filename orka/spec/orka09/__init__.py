"""Files written for OrKa 0.9 are rewritten in the words of today: `rewritten` what is `spoken`."""

from orka.spec.orka09.dialect import OLD, spoken, version_of
from orka.spec.orka09.flow import rewritten

__all__ = ["OLD", "rewritten", "spoken", "version_of"]
