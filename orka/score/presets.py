"""The criteria of boolean scoring, with their weights and thresholds, by context and preset."""

from __future__ import annotations

from collections.abc import Mapping

PRESETS = ("strict", "moderate", "lenient")

# context -> criterion -> weight in each preset
WEIGHTS: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "graphscout": {
        "completeness.has_all_required_steps": (0.20, 0.18, 0.15),
        "completeness.addresses_all_query_aspects": (0.15, 0.12, 0.10),
        "completeness.handles_edge_cases": (0.10, 0.08, 0.05),
        "completeness.includes_fallback_path": (0.10, 0.07, 0.05),
        "efficiency.minimizes_redundant_calls": (0.08, 0.10, 0.12),
        "efficiency.uses_appropriate_agents": (0.08, 0.10, 0.12),
        "efficiency.optimizes_cost": (0.04, 0.05, 0.06),
        "efficiency.optimizes_latency": (0.04, 0.05, 0.06),
        "safety.validates_inputs": (0.06, 0.08, 0.10),
        "safety.handles_errors_gracefully": (0.05, 0.07, 0.08),
        "safety.has_timeout_protection": (0.03, 0.03, 0.04),
        "safety.avoids_risky_combinations": (0.02, 0.02, 0.02),
        "coherence.logical_agent_sequence": (0.03, 0.03, 0.03),
        "coherence.proper_data_flow": (0.01, 0.01, 0.01),
        "coherence.no_conflicting_actions": (0.01, 0.01, 0.01),
    },
    "quality": {
        "accuracy.factually_correct": (0.25, 0.22, 0.20),
        "accuracy.addresses_question": (0.20, 0.18, 0.15),
        "accuracy.no_hallucinations": (0.15, 0.12, 0.10),
        "completeness.comprehensive_answer": (0.15, 0.18, 0.20),
        "completeness.includes_examples": (0.05, 0.08, 0.10),
        "clarity.well_structured": (0.08, 0.10, 0.12),
        "clarity.easy_to_understand": (0.07, 0.07, 0.08),
        "relevance.stays_on_topic": (0.05, 0.05, 0.05),
    },
    "loop_convergence": {
        "improvement.better_than_previous": (0.30, 0.25, 0.25),
        "improvement.significant_delta": (0.15, 0.15, 0.12),
        "improvement.approaching_target": (0.10, 0.10, 0.08),
        "stability.not_degrading": (0.15, 0.18, 0.20),
        "stability.consistent_direction": (0.10, 0.12, 0.15),
        "convergence.delta_decreasing": (0.10, 0.12, 0.10),
        "convergence.within_tolerance": (0.10, 0.08, 0.10),
    },
    "validation": {
        "schema_compliance.matches_schema": (0.30, 0.25, 0.20),
        "schema_compliance.all_required_fields": (0.20, 0.20, 0.18),
        "schema_compliance.correct_types": (0.15, 0.15, 0.15),
        "constraints.within_bounds": (0.15, 0.18, 0.20),
        "constraints.valid_relationships": (0.10, 0.12, 0.15),
        "format.well_formed": (0.10, 0.10, 0.12),
    },
}

# context -> (approved, needs improvement) in each preset
THRESHOLDS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "graphscout": ((0.90, 0.75), (0.85, 0.70), (0.80, 0.65)),
    "quality": ((0.90, 0.75), (0.85, 0.70), (0.75, 0.60)),
    "loop_convergence": ((0.90, 0.75), (0.85, 0.70), (0.75, 0.60)),
    "validation": ((0.95, 0.85), (0.90, 0.75), (0.80, 0.65)),
}

CONTEXTS = tuple(WEIGHTS)
