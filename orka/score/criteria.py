"""What each criterion of boolean scoring asks, and the form of an answer to all of them."""

from __future__ import annotations

from collections.abc import Mapping

from orka.score.boolean import Rubric
from orka.value import Json

QUESTIONS: Mapping[str, str] = {
    "completeness.has_all_required_steps": "every step that the task needs is there",
    "completeness.addresses_all_query_aspects": "each part of the question is taken up",
    "completeness.handles_edge_cases": "unusual inputs are thought of",
    "completeness.includes_fallback_path": "there is another way if a step fails",
    "efficiency.minimizes_redundant_calls": "no step repeats the work of another",
    "efficiency.uses_appropriate_agents": "each step is done by an agent made for it",
    "efficiency.optimizes_cost": "nothing costs more than it must",
    "efficiency.optimizes_latency": "nothing takes longer than it must",
    "safety.validates_inputs": "inputs are checked before they are used",
    "safety.handles_errors_gracefully": "errors are caught and lead somewhere",
    "safety.has_timeout_protection": "no step can wait for ever",
    "safety.avoids_risky_combinations": "no steps are combined that are dangerous together",
    "coherence.logical_agent_sequence": "the steps follow each other in a sensible order",
    "coherence.proper_data_flow": "each step gets what it needs from those before it",
    "coherence.no_conflicting_actions": "no step undoes or contradicts another",
    "accuracy.factually_correct": "what is said is true",
    "accuracy.addresses_question": "the question that was asked is answered",
    "accuracy.no_hallucinations": "nothing is made up",
    "completeness.comprehensive_answer": "nothing of importance is left out",
    "completeness.includes_examples": "there are examples",
    "clarity.well_structured": "it has a clear order",
    "clarity.easy_to_understand": "a reader understands it at once",
    "relevance.stays_on_topic": "it keeps to the topic",
    "improvement.better_than_previous": "it is better than the round before",
    "improvement.significant_delta": "the difference to the round before matters",
    "improvement.approaching_target": "it has come closer to what is wanted",
    "stability.not_degrading": "nothing got worse",
    "stability.consistent_direction": "the changes go one way, not to and fro",
    "convergence.delta_decreasing": "the changes become smaller from round to round",
    "convergence.within_tolerance": "what is left to improve is small enough to stop",
    "schema_compliance.matches_schema": "it has the form that was asked for",
    "schema_compliance.all_required_fields": "every required field is there",
    "schema_compliance.correct_types": "each value has the right type",
    "constraints.within_bounds": "each value lies within its bounds",
    "constraints.valid_relationships": "the values fit each other",
    "format.well_formed": "it can be parsed as it stands",
}


def asked(rubric: Rubric) -> str:
    """The criteria as a list to put into a question."""
    return "\n".join(f"- {name}: {QUESTIONS[name]}" for name in rubric.weights)


def answer_schema(rubric: Rubric) -> dict[str, Json]:
    """The JSON Schema of an answer: each criterion true or false, or null if nobody can tell."""
    said = {"type": ["boolean", "null"]}
    dimensions: dict[str, Json] = {
        dimension: {
            "type": "object",
            "properties": dict.fromkeys(criteria, said),
            "required": list(criteria),
        }
        for dimension, criteria in rubric.dimensions.items()
    }
    return {
        "type": "object",
        "properties": {**dimensions, "rationale": {"type": "string"}},
        "required": list(dimensions),
    }
