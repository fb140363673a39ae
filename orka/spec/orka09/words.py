"""The words of OrKa 0.9: its agent types, and the keys that it knew and did nothing with."""

from __future__ import annotations

from orka.value import Json

# What 0.9 called an agent type, where it is called something else today.
TYPES = {
    "local_llm": "llm",
    "openai-answer": "llm",
    "openai-binary": "yes_no",
    "openai-classification": "classify",
    "classification": "classify",
    "anthropic": "llm",
    "duckduckgo": "websearch",
    "memory-reader": "memory",
    "memory_reader": "memory",
    "memory-writer": "memory",
    "memory_writer": "memory",
    "graph_scout": "graph-scout",
    "graphscout": "graph-scout",
    "streaming-executor": "llm",
    "satellite-state-writer": "llm",
}
_GPT = "openai-gpt"


def old_type(name: Json) -> str:
    """Today's word for a type that only 0.9 had; '' for any other."""
    if not isinstance(name, str):
        return ""
    return "llm" if name.startswith(_GPT) else TYPES.get(name, "")


# Types whose `params` 0.9 laid under the agent's own keys, or read as they were.
FLAT: tuple[str, ...] = (
    "llm",
    "yes_no",
    "classify",
    "plan_validator",
    "loop_validator",
    "validate_and_structure",
)
FLAT += ("brain", "router", "graph-scout", "invariant_validator", "websearch", "loop", "fork")
FLAT += ("join", "path_executor", "failover", "rag", "binary")

ASKING: tuple[str, ...] = (
    "model",
    "temperature",
    "max_tokens",
    "top_p",
    "seed",
    "stop",
    "base_url",
    "api_key_env",
)
ASKING += ("threads", "context", "structured", "coerce", "on_violation", "violation_retries")

# The options of today's types: what may stay as it is written.
OPTIONS: dict[str, tuple[str, ...]] = {
    "llm": (
        *ASKING,
        "response_format",
        "prompt",
        "system",
        "output",
        "output_schema",
        "parse",
        "text_field",
        "tools",
        "max_tool_rounds",
        "choices",
    ),
    "yes_no": (*ASKING, "prompt", "system"),
    "classify": (*ASKING, "prompt", "system", "options", "unknown"),
    "binary": ("prompt",),
    "router": (
        "decision_key",
        "routing_key",
        "routing_map",
        "routes",
        "default",
        "unmatched",
        "match",
    ),
    "fork": ("targets", "mode"),
    "join": ("group", "policy", "on_failure", "members"),
    "loop": (
        "internal_workflow",
        "score_from",
        "result_from",
        "stop_phrase",
        "stop_from",
        "convergence",
        "repetition",
        "budget",
        "max_loops",
        "score_threshold",
        "scoring",
        "high_priority_agents",
        "score_extraction_config",
        "score_extraction_key",
        "score_extraction_pattern",
        "past_loops_metadata",
        "cognitive_extraction",
        "persist_across_runs",
        "fallback_score",
        "timeout_score",
    ),
    "failover": ("children", "report"),
    "failing": ("prompt", "seconds"),
    "path_executor": ("path_source", "on_agent_failure", "on_path_failure", "input_source"),
    "memory": (
        "operation",
        "namespace",
        "user",
        "prompt",
        "filters",
        "config",
        "metadata",
        "key_template",
        "memory_preset",
        "decay",
    ),
    "websearch": (
        "prompt",
        "max_results",
        "region",
        "safesearch",
        "timelimit",
        "backend",
        "endpoint",
        "on_failure",
        "results",
    ),
    "validate_and_structure": (
        *ASKING,
        "prompt",
        "question",
        "evidence",
        "answer",
        "store_structure",
    ),
    "graph-scout": (
        *(*ASKING, "prompt", "paths", "edges", "max_depth", "max_candidates", "require_terminal"),
        *("terminal_agents", "required_agents", "exclude", "profile", "weights", "policies"),
        *("judge", "heuristics", "priors", "learn", "criteria", "budget", "estimates", "history"),
        *("domain", "tenant", "scoring_mode", "boolean", "strategy", "commit_margin", "too_close"),
        *("safer", "k_beam", "fallback", "execute", "on_failure"),
    ),
    "plan_validator": (
        *ASKING,
        "plan_from",
        "prompt",
        "rounds",
        "scoring_preset",
        "scoring_context",
        "custom_weights",
    ),
    "loop_validator": (
        *ASKING,
        "prompt",
        "custom_prompt",
        "scoring_preset",
        "scoring_context",
        "evaluation_target",
        "custom_weights",
        "mode",
        "rounds",
    ),
    "invariant_validator": (
        "max_depth",
        "allow_reentrant_nodes",
        "strict_tool_errors",
        "execution_data",
    ),
    "brain": ("operation", "prompt", "namespace", "user"),
    "rag": (
        *ASKING,
        "prompt",
        "system",
        "top_k",
        "score_threshold",
        "namespace",
        "user",
        "filters",
        "category",
        "memory_type",
    ),
}

# Further words of 0.9 that a key may be misspelt from.
MEANT: dict[str, tuple[str, ...]] = {
    "graph-scout": (
        *("score_weights", "strict_mode", "require_critical", "important_threshold"),
        *("include_nice_to_have", "cost_budget_tokens", "latency_budget_ms", "safety_profile"),
        *("evaluation_model", "evaluation_model_name", "provider", "model_url"),
        *("llm_evaluation_enabled", "fallback_to_heuristics", "max_acceptable_cost"),
        *("max_acceptable_latency", "min_success_rate", "use_priors"),
    ),
}

# Keys that 0.9 passed over whatever stood there, by today's type; "" holds for every type.
IGNORED: dict[str, tuple[str, ...]] = {
    "": (
        "queue",
        "capabilities",
        "is_terminal",
        "cost_estimate",
        "safety_tags",
        "required_inputs",
        "top_k",
        "description",
        "name",
        "enabled",
    ),
    "llm": ("memory_config", "memory_preset", "parse_json", "metadata", "config"),
    "router": ("prompt",),
    "fork": ("group", "prompt"),
    "join": ("prompt", "max_retries"),
    "loop": ("prompt",),
    "failover": ("input", "prompt"),
    "path_executor": ("prompt",),
    "memory": ("vector", "embed_content", "category"),
    "graph-scout": ("optimal_path_length",),
}

# What an agent that gives the answer said it can do.
ANSWERING = ("answer_emit", "response_generation")

# Keys of `orchestrator:` with which 0.9 did nothing.
HEAD_IGNORED: tuple[str, ...] = (
    "queue",
    "memory_config",
    "constraints",
    "error_handling",
    "cache",
)
HEAD_IGNORED += ("max_parallel", "description", "name", "version")

# Keys under `memory.config` about how Redis searched.
MEMORY_IGNORED: tuple[str, ...] = (
    "vector_field",
    "vector_field_name",
    "force_recreate_index",
    "vector_params",
)
MEMORY_IGNORED += ("search_params", "store_params", "query_key", "context_window_size")
MEMORY_IGNORED += ("fallback_to_text", "namespace_prefix", "store_metadata", "embed_content")
# Keys under `memory.config` that mean something today.
MEMORY: tuple[str, ...] = (
    "limit",
    "similarity_threshold",
    "memory_category_filter",
    "memory_type_filter",
)
MEMORY += ("enable_temporal_ranking", "temporal_weight", "temporal_decay_hours", "category")
MEMORY += ("memory_type", "importance", "ttl", "renew_on_read", "enable_vector_search")
MEMORY += ("enable_hybrid_search", "enable_context_search", "vector_weight", "text_weight")
MEMORY += ("context_weight", "ef_runtime", "vector")
DECAY: tuple[str, ...] = (
    "enabled",
    "default_short_term_hours",
    "default_long_term_hours",
    "short_term_hours",
)
DECAY += ("long_term_hours", "default_long_term")
DECAY_IGNORED = ("check_interval_minutes", "importance_rules", "memory_type_rules")
# What may stand in the maps of a loop.
SCORING = ("preset", "context", "custom_weights")
EXTRACTION = ("strategies", "agreement_fallback")
COGNITION = ("enabled", "max_length_per_category", "extract_patterns", "agent_priorities")
STRATEGY = ("type", "patterns", "agents", "key", "path", "weights", "transform")
STRATEGIES = ("pattern", "direct_key", "agent_key", "json", "nested_path", "computed")
