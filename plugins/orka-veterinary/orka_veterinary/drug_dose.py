"""`drug_dose`: the dose of a drug for one animal, out of a table; or a refusal with its reason."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.errors import ToolError, nearest
from orka.value import Json

from orka_veterinary.formulary import ALIASES, DOSES, REFUSED, Dose
from orka_veterinary.species import SPECIES, possible

_PLACES = 3
_TWO: Json = {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}}
_DOSE: Json = {
    "type": "object",
    "required": ["drug", "species", "weight_kg", "route", "mg", "every_hours", "source"],
    "properties": {"mg": _TWO, "mg_per_kg": _TWO, "every_hours": {"type": "integer"}},
}


@tool(idempotent=True, gives=_DOSE)
def drug_dose(drug: str, species: str, weight_kg: float, route: str = "") -> dict[str, Json]:
    """The dose of a drug for an animal of this species and weight, from a table with its source.
    Refuses what is dangerous for the species, a weight it cannot have, and what is not listed."""
    name = drug.strip().casefold()
    name = ALIASES.get(name, name)
    kind = species.strip().casefold()
    if kind not in SPECIES:
        raise _refused("dose.species", f"no species {species!r} is known", nearest(kind, SPECIES))
    if reason := REFUSED.get((name, kind)):
        fix = "choose another drug; if the animal has taken it, treat it as poisoned"
        raise _refused("dose.contraindicated", f"{name} for a {kind} is refused: {reason}", fix)
    limits = possible(kind, "weight")
    if weight_kg not in limits:
        told = f"{weight_kg:g} kg is no weight of a {kind}: {limits.told('kg')}"
        raise _refused("dose.weight", told, "weigh the animal, and give kilograms")
    return _told(_listed(name, kind, route.strip().casefold()), weight_kg)


def _listed(drug: str, species: str, route: str) -> Dose:
    """The line of the table. Without a `route` there must be one only."""
    lines = [dose for dose in DOSES if (dose.drug, dose.species) == (drug, species)]
    if not lines:
        known = sorted({dose.drug for dose in DOSES if dose.species == species})
        listed = ", ".join(known) or "no drug at all"
        fix = f"for a {species} there are: {listed}; a dose is never carried over from others"
        raise _refused("dose.unlisted", f"no dose of {drug!r} for a {species} is listed", fix)
    fitting = [dose for dose in lines if route in ("", dose.route)]
    routes = ", ".join(dose.route for dose in lines)
    if len(fitting) != 1:
        told = f"{drug} for a {species} by {route!r} is not listed"
        if fitting:
            told = f"{drug} for a {species} depends on the route"
        raise _refused("dose.route", told, f"give `route`: {routes}")
    return fitting[0]


def _told(dose: Dose, weight: float) -> dict[str, Json]:
    return {
        "drug": dose.drug,
        "species": dose.species,
        "weight_kg": weight,
        "route": dose.route,
        "mg": [round(dose.low * weight, _PLACES), round(dose.high * weight, _PLACES)],
        "mg_per_kg": [dose.low, dose.high],
        "every_hours": dose.hours,
        "at_most_days": dose.days,
        "note": dose.note,
        "source": dose.source,
    }


def _refused(code: str, what: str, fix: str) -> ToolError:
    return ToolError(what, fix=fix, code=code, retryable=False)
