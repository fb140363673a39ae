"""`vital_signs`: reads species and vital signs out of a record. What is missing stays unknown."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, model_problem, model_shape, sense
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.value import Json

from orka_veterinary.measure import UNIT, Measure, Vital, measured, stands_in
from orka_veterinary.species import SPECIES, VITALS, Range, possible, usual

STATUS = ("low", "usual", "high", "unknown")
_MEANS: Mapping[Vital, str] = {
    "temperature": "body temperature with its unit, as it is written there, such as 38.6 °C",
    "heart_rate": "heart rate or pulse, as it is written there",
    "respiratory_rate": "breaths per minute, as they are written there",
    "weight": "body weight with its unit, as it is written there",
}
_VITAL: Json = {
    "type": ["object", "null"],
    "required": ["value", "unit", "status", "usual", "said"],
    "properties": {"value": {"type": "number"}, "status": {"enum": [*STATUS]}},
}
_OUTPUT: Json = {
    "type": "object",
    "required": ["species", *VITALS, "unknown"],
    "properties": {
        "species": {"enum": [*SPECIES, None]},
        **dict.fromkeys(VITALS, _VITAL),
        "unknown": {"type": "array", "items": {"type": "string"}},
    },
}
_ASK = "Copy what the record says, word for word. What it does not say is null. Guess nothing."


class VitalSignsOptions(ModelOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`text` is the record, by default the run's input. `species`, if it is known from elsewhere,
    counts before what the model reads."""

    text: str = "{{ input }}"
    species: str = ""


@agent(
    "vital_signs",
    config=VitalSignsOptions,
    templates=("text", "species"),
    shape=lambda options: model_shape(options, output=_OUTPUT, answers=False),
    check=model_problem,
    version="1",
    gives=_OUTPUT,
)
async def vital_signs(ctx: Context) -> Json:
    """Give `species`, each vital sign as `{value, unit, status, usual, said}` or null, and the list
    of what is `unknown`. Fails with `vital_signs.empty`, `vital_signs.species`, or as a sensor."""
    options: VitalSignsOptions = ctx.config
    text = text_of(ctx.render("text"))
    if not text.strip():
        raise AgentError(
            f"the record of {ctx.node!r} is empty",
            code="vital_signs.empty",
            fix="see what its `text` is made of",
        )
    given = _given(ctx, text_of(ctx.render("species")))
    said = await sense(ctx, f"{_ASK}\n\nRecord:\n{text}", options, contract())
    species = given or said["species"]
    read: dict[str, Json] = {
        vital: await _read(ctx, vital, said[vital], text, species) for vital in VITALS
    }
    found = {"species": species, **read}
    return {**found, "unknown": [name for name, value in found.items() if value is None]}


def contract() -> Contract:
    """What the model has to answer: the words of the record, or null."""
    words: dict[str, Json] = {
        vital: {"type": ["string", "null"], "description": about} for vital, about in _MEANS.items()
    }
    return Contract.of(
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["species", *VITALS],
            "properties": {"species": {"enum": [*SPECIES, None]}, **words},
        }
    )


def _given(ctx: Context, written: str) -> str:
    """The species that the author gave, if any."""
    species = written.strip().casefold()
    if species and species not in SPECIES:
        raise AgentError(
            f"{ctx.node!r} was given the species {written!r}",
            code="vital_signs.species",
            fix=f"give one of {', '.join(SPECIES)}, or leave `species` out",
        )
    return species


async def _read(
    ctx: Context, vital: Vital, said: str | None, text: str, species: str | None
) -> Json:
    """A vital sign as a typed value. What does not stand in the record, has no unit or cannot be is
    a violation, and unknown."""
    if said is None or not said.strip():
        return None
    found = _checked(vital, said, text, species)
    if found.value is None:
        await ctx.violation(kind=found.kind, where=vital, message=found.problem, raw=said)
        return None
    band = usual(species, vital)
    return {
        "value": found.value,
        "unit": UNIT[vital],
        "status": _status(found.value, band),
        "usual": None if band is None else [band.low, band.high],
        "said": said,
    }


def _checked(vital: Vital, said: str, text: str, species: str | None) -> Measure:
    if not stands_in(said, text):
        return Measure(None, "ungrounded", f"{said!r} does not stand in the record")
    found = measured(vital, said)
    limits = possible(species, vital)
    if found.value is not None and found.value not in limits:
        what = f"{found.value:g} {UNIT[vital]} cannot be: {species or 'any animal here'} has"
        return Measure(None, "implausible", f"{what} {limits.told(UNIT[vital])}")
    return found


def _status(value: float, band: Range | None) -> str:
    if band is None:
        return "unknown"
    return "low" if value < band.low else "high" if value > band.high else "usual"
