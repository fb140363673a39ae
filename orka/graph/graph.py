"""A compiled graph: arrays and counters, so that finishing a node touches only its successors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orka.agent.agent import AgentFunction
from orka.agent.deciding import Criteria, Strategies
from orka.agent.guard import Guard
from orka.graph.guards import Filter
from orka.graph.policy import Policy
from orka.graph.template import Template
from orka.value import Json

# A templated option, compiled: a template, a constant, or lists and maps of them.
Rendered = Template | Json


# The case of an edge that is taken when the condition of its source was false: the path goes on
# after the routes or branches that it would have led to.
BYPASS = "\x00bypass"


@dataclass(frozen=True, slots=True)
class Edge:
    """`case`: taken when the source's value has `route` equal to it. `error`: taken when the source
    failed (with the code `case`, if there is one). Neither: taken when the source finished.
    `branch` numbers the branch of a fork that ends here, in a join with a policy."""

    target: int
    case: str | None = None
    error: bool = False
    branch: int = -1


@dataclass(frozen=True, slots=True)
class Rule:
    """A join's policy, compiled. It goes on once `count` branches (None: all) have ended well, or
    `deadline` seconds after its `fork`; the nodes of its branches that are `late` then are left
    out."""

    count: int | None
    deadline: float | None
    late: tuple[int, ...]
    fork: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found that is no error: where, what, and what to do about it."""

    where: str
    what: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One agent of the graph. `needs` counts the edges that lead here, from `sources`; `catching`
    are nodes whose failure leads here, `strict` those of them with which this one fails.
    `above` is the set of nodes upstream, as a bit mask; `later`
    says which of them wrote another's output, the last one first. `branches` and `group` are those
    of a fork and a join; `rule` is a join's policy, `arms` the joins whose time begins when this
    fork ends. `pool` describes the agents it may open by id; `criteria` and `strategies` are those
    it decides by. `constants`
    are the options without a template in them. `plain` says that all of `out` is taken whenever
    the node finishes. `retries`, `backoff` (initial, factor, limit in
    seconds) and `timeout` (seconds) hold for each effect the agent asks for. `filters` look at what
    they bring in, after those of the whole run."""

    index: int
    id: str
    type: str
    function: AgentFunction
    config: Json
    templates: Mapping[str, Rendered]
    constants: frozenset[str]
    params: Mapping[str, Json]
    when: Guard | None
    retries: int
    backoff: tuple[float, float, float]
    timeout: float | None
    out: tuple[Edge, ...]
    needs: int
    sources: tuple[str, ...]
    plain: bool
    catches: bool
    where: str = ""
    tools: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    inner: Mapping[str, Graph] = field(default_factory=dict)
    above: int = 0
    later: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    branches: tuple[tuple[str, ...], ...] = ()
    group: str = ""
    catching: tuple[str, ...] = ()
    rule: Rule | None = None
    arms: tuple[tuple[int, float], ...] = ()
    pool: Mapping[str, Json] = field(default_factory=dict)
    strict: tuple[str, ...] = ()
    criteria: Criteria = field(default_factory=dict)
    strategies: Strategies = field(default_factory=dict)
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """`digest` names what the graph does: same digest, same decisions for the same facts. A
    `closed` graph does not see what the node that opens it sees. `answers` are the nodes of which
    the last one says what a run of OrKa 0.9 gives. `timed` are joins with a deadline.
    At most `max_concurrency` effects of a run are performed at once (0: no limit). `filters` look
    at what comes into the run. `policy` says which tools may be called in it and below. A `lenient`
    graph, of a file of OrKa 0.9, knows no fences: quarantined text is put into them."""

    id: str
    nodes: tuple[Node, ...]
    index: Mapping[str, int]
    entrances: tuple[int, ...]
    ends: tuple[str, ...]
    needs: tuple[int, ...]
    timeout: float | None
    digest: str
    flow: str = ""
    components: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    answers: tuple[str, ...] = ()
    timed: tuple[int, ...] = ()
    max_concurrency: int = 0
    findings: tuple[Finding, ...] = ()
    filters: tuple[Filter, ...] = ()
    policy: Policy | None = None
    lenient: bool = False


def found(value: Rendered) -> list[Template]:
    """The templates inside an option, in order."""
    if isinstance(value, Template):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [template for item in inside for template in found(item)]
