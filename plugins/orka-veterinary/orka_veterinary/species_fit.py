"""`species_fit`: how well a path suits the species of the patient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.score.criterion import Proposal, State, criterion
from orka.score.factor import Abstained, Known, Reading

from orka_veterinary.species import SPECIES

# The capability of an agent that treats one species is `species_dog` and so on.
_ONE, _ANY = "species_", "any_species"
# An agent for any species suits, but less than one for this species.
_GENERAL = 0.5


@criterion("species_fit", version="1")
def species_fit(candidate: Proposal, state: State) -> Reading:
    """1 for a path with an agent for the species, 0 for one with an agent for others only, 0.5 for
    one whose agents are for any. Unknown without a species, or if no agent says whom it is for."""
    declared = [set(step.capabilities) for step in candidate.steps]
    bound = [each for each in map(_treated, declared) if each]
    general = any(_ANY in each for each in declared)
    if not bound:
        if general:
            return Known(_GENERAL, "its agents are for any species")
        return Abstained("no agent of the path says which species it is for")
    species = patient(state)
    if species is None:
        return Abstained("nobody knows the species of the patient")
    for treated in bound:
        if species not in treated:
            return Known(0.0, f"an agent is for {', '.join(sorted(treated))}, not for a {species}")
    return Known(1.0, f"it is for a {species}")


def patient(state: State) -> str | None:
    """The species that a `vital_signs` upstream found, or that the input names; None if they are
    not agreed."""
    named = {folded for each in _named(state) if (folded := each.strip().casefold())}
    return named.pop() if len(named) == 1 and named <= set(SPECIES) else None


def _named(state: State) -> Iterator[str]:
    for value in (state.input, *state.outputs.values()):
        found = value.get("species") if isinstance(value, Mapping) else None
        if isinstance(found, str):
            yield found


def _treated(capabilities: set[str]) -> set[str]:
    """The species that an agent is for."""
    words = (word.removeprefix(_ONE) for word in capabilities if word.startswith(_ONE))
    return {word for word in words if word in SPECIES}
