"""What the module brings, and what it may touch: a model of the user's choice, and nothing else."""

from __future__ import annotations

from orka.plugin.manifest import Manifest

MANIFEST = Manifest(
    name="veterinary",
    version="0.1.0",
    description="Vital signs as typed values, a criterion about species, doses from a table.",
    agents=("vital_signs",),
    tools=("drug_dose",),
    criteria=("species_fit",),
    models=("*",),
)
