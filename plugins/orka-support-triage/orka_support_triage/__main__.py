"""`python -m orka_support_triage [workflow|samples|schema]`: where the workflow and the samples
are, and what an envelope is."""

from __future__ import annotations

import json
import sys
from importlib import resources

from orka_support_triage.schema.envelope import InputEnvelope
from orka_support_triage.schema.output import OutputEnvelope
from orka_support_triage.schema.reading import json_schema

FILES = {"workflow": "support_triage.yml", "samples": "samples"}


def main(word: str = "workflow") -> int:
    """Print what a word stands for; gives the exit code."""
    if word in FILES:
        print(resources.files("orka_support_triage").joinpath(FILES[word]))
        return 0
    if word == "schema":
        kinds = {"input": json_schema(InputEnvelope), "output": json_schema(OutputEnvelope)}
        print(json.dumps(kinds, indent=2))
        return 0
    print(f"unknown word {word!r}: say workflow, samples or schema", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
