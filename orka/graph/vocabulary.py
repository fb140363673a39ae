"""The words of templates: names, functions, helpers, methods. No others exist."""

from __future__ import annotations

# What every template and condition may name.
CONTEXT = (
    "input",
    "previous_outputs",
    "outputs",
    "params",
    "run_id",
    "trace_id",
    "node_id",
    "agent_id",
    "workflow_name",
)
# Names that are there only inside a loop; `score` and what follows only in its metadata.
LOOP = (
    "loop_number",
    "past_loops",
    "past_loops_metadata",
    "scoring_context",
    "score_threshold",
    "max_loops",
    "score",
    "insights",
    "improvements",
    "mistakes",
    "reasoning_quality",
    "convergence_trend",
)
# Names that are there only inside a `foreach`.
EACH = ("item", "index")
# Names of templates only: a condition is decided before its node begins.
CLOCK = ("timestamp", "current_time")
# What a memory node's templates may name besides.
MEMORY = ("original_input", "payload", "session_id", "namespace")
NAMES = (*CONTEXT, *LOOP, *EACH, *CLOCK, *MEMORY)
CONDITION = (*CONTEXT, *LOOP, *EACH)
# Names that may be missing when a template is rendered.
PERHAPS = frozenset((*LOOP, *EACH, "session_id", "namespace"))

# The engine's own functions that templates may call; `debug` would show every value.
FUNCTIONS = ("cycler", "dict", "joiner", "namespace", "range")
HELPERS = (
    "format_loop_metadata",
    "format_memory_query",
    "get_agent_memory_context",
    "get_agent_response",
    "get_collaborative_responses",
    "get_conservative_response",
    "get_current_topic",
    "get_debate_evolution",
    "get_execution_artifacts",
    "get_final_score",
    "get_fork_responses",
    "get_input",
    "get_input_field",
    "get_loop_number",
    "get_loop_output",
    "get_loop_rounds",
    "get_loop_status",
    "get_my_past_decisions",
    "get_my_past_memory",
    "get_past_insights",
    "get_past_loop_data",
    "get_past_loops",
    "get_past_loops_metadata",
    "get_progressive_response",
    "get_purist_response",
    "get_realist_response",
    "get_round_info",
    "get_score_threshold",
    "has_context",
    "has_past_loops",
    "joined_results",
    "now",
    "safe_get",
    "safe_get_response",
    "safe_str",
    "to_json_string",
    "truncate_text",
)
# Helpers whose first argument is the id of an agent: it must be upstream; or it may be missing.
READING = ("get_agent_response", "get_loop_output")
TRYING = ("has_context", "safe_get_response")
# Helpers that take what may be missing.
TOLERANT = ("safe_get", "safe_get_response", "safe_str", "has_context", "get_input_field")
# Helpers that give an output, seen as outputs are; the others give plain values.
OUTPUT_HELPERS = frozenset(("get_agent_response", "get_loop_output", "safe_get_response"))
# Roots whose values are plain: a field is there or it is missing.
PLAIN = frozenset(
    ("input", "params", "past_loops", "past_loops_metadata", "scoring_context", "payload")
)
OUTPUTS = ("previous_outputs", "outputs")
# What `input` holds inside a loop in files of OrKa 0.9.
LOOPED = (
    "input",
    "loop_number",
    "past_loops",
    "past_loops_metadata",
    "previous_outputs",
    "scoring_context",
    "score_threshold",
    "max_loops",
)

# Methods read; those that would change a value in place are refused with their own words.
METHODS = frozenset(
    [
        "capitalize",
        "count",
        "endswith",
        "find",
        "format",
        "get",
        "isalnum",
        "isalpha",
        "isascii",
        "isdigit",
        "islower",
        "isnumeric",
        "isspace",
        "isupper",
        "items",
        "join",
        "keys",
        "lower",
        "lstrip",
        "replace",
        "rfind",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "title",
        "upper",
        "values",
    ]
)
MUTATING = frozenset(
    [
        "append",
        "clear",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    ]
)
KEYWORDS = frozenset(
    [
        "and",
        "or",
        "not",
        "in",
        "is",
        "if",
        "else",
        "true",
        "false",
        "none",
        "True",
        "False",
        "None",
        "recursive",
    ]
)
# Filters and tests that say themselves what to do with a missing value.
DEFAULTS = ("default", "d", "safe_get")
PRESENCE = ("defined", "undefined")

# Every filter and test that there is: the engine's and ours.
FILTER_NAMES = (
    "abs",
    "attr",
    "batch",
    "bool",
    "capitalize",
    "center",
    "count",
    "d",
    "default",
    "dictsort",
    "e",
    "escape",
    "fence",
    "first",
    "float",
    "format",
    "format_loop_metadata",
    "from_json",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "pprint",
    "regex_replace",
    "regex_search",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "safe",
    "safe_get",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "striptags",
    "sum",
    "title",
    "to_json_string",
    "tojson",
    "trim",
    "truncate",
    "unique",
    "upper",
    "urlencode",
    "wordcount",
    "wordwrap",
)
TESTS = (
    "boolean",
    "defined",
    "divisibleby",
    "eq",
    "equalto",
    "even",
    "false",
    "float",
    "ge",
    "gt",
    "in",
    "integer",
    "iterable",
    "le",
    "lower",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sameas",
    "sequence",
    "string",
    "true",
    "undefined",
    "upper",
)
