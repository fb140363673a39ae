"""Options of a `graph-scout` that cannot be meant are told before a run."""

from __future__ import annotations

import math

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st
from scouts import MODEL, Tools, does, flow, given, ranked

import orka
from orka.errors import ConfigError, OrkaError
from orka.kit.agents.graph_scout.options import GraphScoutOptions
from orka.score.criterion import Proposal, State, criterion
from orka.value import Json

POOL = (does("a"), does("b"))
RULE = {"when": "length == 1", "weight": 1, "message": "short"}
CHECK = {"name": "c", "when": "length == 1", "severity": "critical"}
FORBID = {"id": "r", "when": "length > 1", "forbid": True, "reason": "r"}
BOOLEAN = {"scoring_mode": "boolean"}
H = {"weights": {"heuristics": 1}}
MINE = {"criteria": ["given"]}


@criterion("dear", penalty=True)
def dear(candidate: Proposal, state: State) -> object:
    return -0.5


RUNTIME = orka.Runtime(store=":memory:", use=[Tools().act, given, dear])


def checked(**options: Json) -> None:
    RUNTIME.check(flow(POOL, **options))


WRONG: list[tuple[dict[str, Json], str]] = [
    # weights
    ({"weights": "llm"}, "weights are 'llm', which is no map"),
    ({"weights": [1, 2]}, "weights are [1, 2], which is no map"),
    ({"weights": {}}, "weights are empty"),
    ({"weights": {"heuristics": "much"}}, "the weight of 'heuristics' in `weights` is 'much'"),
    ({"weights": {"heuristics": True}}, "the weight of 'heuristics' in `weights` is True"),
    ({"weights": {"heuristics": None}}, "the weight of 'heuristics' in `weights` is None"),
    ({"weights": {"heuristics": -0.2}}, "'heuristics' in `weights` is -0.2, below 0"),
    ({"weights": {"heuristics": math.nan}}, "a number that is not finite"),
    ({"weights": {"heuristics": 0, "prior": 0}}, "all weights are 0"),
    ({"weights": {"heuristic": 1}}, "did you mean 'heuristics'?"),
    ({"weights": {"given": 1}}, "unknown factor 'given'"),
    ({**H, "profile": "cheap"}, "give `weights` or a `profile`, not both"),
    ({"profile": "cheep"}, "did you mean 'cheap'?"),
    ({"weights": {"llm": 1}}, "`weights` has 'llm', and no `model` is named"),
    ({"weights": {"prior": 1}, "heuristics": [RULE]}, "'heuristics' is measured and has no weight"),
    ({**H, **MINE}, "'given' is measured and has no weight in `weights`"),
    (MINE, "profile 'conservative' have none for it"),
    ({"profile": "fast", **MINE}, "profile 'fast' have none for it"),
    ({"criteria": ["llm"], "weights": {"llm": 1}}, "'llm', which is built in"),
    ({"criteria": ["givn"], "weights": {"givn": 1}}, "did you mean 'given'?"),
    ({"weights": {"heuristics": 1, "cost": 1e-9}}, "'cost' in `weights` is 1e-09, 0 at six"),
    # policies
    ({"policies": {"llm": "ignore"}}, "the policy of 'llm' is 'ignore'"),
    ({"policies": {"llm": "wurst"}}, "did you mean 'worst'?"),
    ({"policies": {"cost": "renormalise"}}, "'cost' is a penalty and cannot be renormalised"),
    ({"policies": {"cost": "stop"}, "profile": "quality"}, "no effect: its weight is 0"),
    ({"policies": {"lllm": "floor"}}, "a policy for 'lllm', which has no weight"),
    # the decision
    ({"strategy": "strickt"}, "did you mean 'strict'?"),
    ({"commit_margin": -0.1}, "`commit_margin` is -0.1; it must be 0 or more"),
    ({"commit_margin": 1e300}, "`commit_margin` is 1e+300; it must be 0 or more, and at most"),
    ({"commit_margin": "much"}, "commit_margin"),
    ({"commit_margin": math.nan}, "a number that is not finite"),
    ({"commit_margin": math.inf}, "a number that is not finite"),
    ({"commit_margin": {"noise": -1}, "model": MODEL}, "`commit_margin` is -1"),
    ({"commit_margin": {"noice": 1}}, "noice"),
    ({"commit_margin": {"noise": 2}}, "in noise needs a model that judges"),
    ({"commit_margin": {"noise": 2}, "model": MODEL, **H}, "and a weight for 'llm'"),
    (
        {"commit_margin": {"noise": 2}, "model": MODEL, "judge": {"repeat": 1}},
        "`judge.repeat` 2 or more",
    ),
    ({"k_beam": 0}, "`k_beam` is 0; it must be 1 or more"),
    ({"too_close": "asks"}, "too_close"),
    ({"too_close": {"agent": ""}}, "`too_close.agent` is empty"),
    ({"too_close": {"agent": "c"}}, "names 'c' in `too_close`, which does not exist"),
    ({"too_close": "safer", "safer": ["priors"]}, "did you mean 'prior'?"),
    ({"too_close": "safer", "safer": ["prior"], **H}, "`safer` names 'prior', which has no weight"),
    ({"too_close": "safer", **H}, "goes by prior, cost, latency, which has no weight"),
    ({"too_close": "safer", "safer": []}, "goes by nothing"),
    ({"fallback": "c"}, "names 'c' in `fallback`, which does not exist"),
    ({"fallback": "scout"}, "names 'scout' in `fallback`, which something else leads to"),
    ({"fallback": "a", "too_close": {"agent": "a"}}, "name two agents"),
    ({"on_failure": "again"}, "on_failure"),
    ({"execute": "yes"}, "execute"),
    # paths
    ({"max_depth": 0}, "`max_depth` is 0; it must be 1 or more"),
    ({"max_depth": "deep"}, "max_depth"),
    ({"max_candidates": 0}, "`max_candidates` is 0"),
    ({"paths": [[]]}, "`paths` has an empty path"),
    ({"paths": "a"}, "paths"),
    ({"paths": [["a"]], "edges": {}}, "give one of the two"),
    ({"required_agents": ["c"]}, "names 'c' in `required_agents`, which does not exist"),
    ({"terminal_agents": ["aa"]}, "names 'aa' in `terminal_agents`"),
    ({"exclude": ["c"]}, "names 'c' in `exclude`"),
    ({"exclude": {"c": "why"}}, "names 'c' in `exclude`"),
    ({"estimates": {"c": {"cost": 1}}}, "names 'c' in `estimates`"),
    # what is measured
    ({"heuristics": [{**RULE, "when": "length =="}]}, "rule 1 of `heuristics` (length ==)"),
    ({"heuristics": [{**RULE, "when": "lenght == 1"}]}, "did you mean 'length'?"),
    ({"heuristics": [{**RULE, "weight": 0}]}, "its weight is 0"),
    ({"heuristics": [{**RULE, "weight": -1e303}]}, "its weight is -1e+303"),
    ({"heuristics": [{**RULE, "message": " "}]}, "its message is empty"),
    ({"heuristics": [{"when": "length == 1"}]}, "heuristics"),
    ({"heuristics": [{**RULE, "wait": 1}]}, "wait"),
    ({"budget": {"cost": -1}}, "`budget.cost` is -1"),
    ({"budget": {"latency_ms": 0}}, "`budget.latency_ms` is 0"),
    ({"budget": {"tokens": -5}}, "`budget.tokens` is -5"),
    ({"budget": {"dollars": 5}}, "dollars"),
    ({"estimates": {"a": {"cost": -1}}}, "`estimates.a.cost` is -1"),
    ({"estimates": {"a": {"seconds": 1}}}, "seconds"),
    ({"history": -1}, "`history` is -1; it must be 0 or more"),
    ({"history": 1_001}, "`history` is 1001; at most 1000 runs"),
    ({"learn": True, "history": 0}, "`learn` has no effect without `history`"),
    ({"judge": {"repeat": 0}}, "`judge.repeat` is 0"),
    ({"judge": {"question": " "}}, "`judge.question` is empty"),
    ({"judge": {"mode": "vote"}}, "vote"),
    ({"judge": {"on_failure": "guess"}}, "guess"),
    ({"model": MODEL, "on_violation": {"route": "a"}}, "see `judge.on_failure`"),
    ({"temperature": 9}, "temperature"),
    # boolean mode
    ({"boolean": {"strict": True}}, "without `scoring_mode: boolean`"),
    ({"scoring_mode": "bool"}, "scoring_mode"),
    ({**BOOLEAN, "profile": "cheap"}, "`profile` has no effect"),
    ({**BOOLEAN, "policies": {"c": "ask"}}, "`policies` has no effect"),
    ({**BOOLEAN, "heuristics": [RULE]}, "`heuristics` has no effect"),
    ({**BOOLEAN, "boolean": {"rubric": "strict"}}, "no `model` is asked"),
    ({**BOOLEAN, "boolean": {"rubric": "harsh"}}, "harsh"),
    ({**BOOLEAN, "boolean": {"important_threshold": 80}}, "it must be from 0 to 1"),
    ({**BOOLEAN, "boolean": {"checks": [CHECK, CHECK]}}, "two checks are called 'c'"),
    ({**BOOLEAN, "boolean": {"checks": [{**CHECK, "when": "costs < 1"}]}}, "did you mean 'cost'?"),
    ({**BOOLEAN, "boolean": {"checks": [{**CHECK, "when": "cost <"}]}}, "check 'c'"),
    ({**BOOLEAN, "boolean": {"checks": [{**CHECK, "severity": "big"}]}}, "big"),
    ({**BOOLEAN, "boolean": {"checks": [{**CHECK, "weight": -1}]}}, "-1"),
    ({**BOOLEAN, "boolean": {"checks": [{**CHECK, "weight": 0}]}}, "all weights are 0"),
    ({**BOOLEAN, "boolean": {"limits": {"most": "much"}}}, "limits"),
    ({**BOOLEAN, "weights": {"llm": 1}}, "unknown factor 'llm'"),
    # forms
    ({"commit_margin": "wide"}, "write a number or {noise: …}"),
    ({"too_close": 3}, "write ask or safer or shortlist or {agent: …}"),
    # keys
    ({"max_dept": 1}, "did you mean 'max_depth'?"),
]


@pytest.mark.parametrize(("options", "told"), WRONG, ids=[str(options) for options, _ in WRONG])
def test_a_wrong_option_is_told_by_name_place_and_remedy(
    options: dict[str, Json], told: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        checked(**options)
    message = str(raised.value)
    assert told in message
    assert raised.value.where and ("scout" in message or "finite" in message)
    assert raised.value.code.startswith("config.")


RIGHT: list[dict[str, Json]] = [
    {},
    {"weights": {"heuristics": 1, "cost": 0}},
    {"weights": {"llm": 1}, "model": MODEL},
    {"weights": {"llm": 1}, "judge": {"mode": "none"}},
    {"weights": {"given": 1, "dear": 1}, "criteria": ["given", "dear"]},
    {"too_close": "safer"},
    {"too_close": "safer", "safer": ["dear"], "weights": {"dear": 1}, "criteria": ["dear"]},
    {"commit_margin": {"noise": 2}, "model": MODEL},
    {"policies": {"cost": "floor", "llm": "renormalise"}},
    {"budget": {"cost": 0}},
    {"edges": {"scout": ["a"], "a": ["zebra"], "zebra": []}},
    {"paths": [["zebra"]]},
    {**BOOLEAN, "weights": {"given": 2}, "criteria": ["given"]},
    {**BOOLEAN, "boolean": {"rubric": "strict"}, "model": MODEL},
    {"priors": [{"domain": "d", "rules": [FORBID]}], **H},
    ranked("a", "b"),
]  # fmt: skip


@pytest.mark.parametrize("options", RIGHT, ids=str)
def test_what_can_be_meant_passes(options: dict[str, Json]) -> None:
    checked(**options)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats(allow_nan=False, width=16)
    | st.sampled_from(["", "a", "llm", "x", "length > 1", "safer"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["llm", "agent", "noise", "checks", "when", "a"]), inner)
    ),
    max_leaves=4,
)  # fmt: skip
NAMES = st.sampled_from(GraphScoutOptions.__struct_fields__)


@given_any(st.dictionaries(NAMES, VALUES, max_size=3))
def test_any_options_pass_or_are_refused_by_name(options: dict[str, Json]) -> None:
    try:
        RUNTIME.check(flow(POOL, **options))
    except OrkaError as error:
        assert error.code.startswith(("config.", "template.", "model.", "input."))
        assert error.what
