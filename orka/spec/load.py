"""A workflow file, checked for its shape and for the names it refers to, becomes a Workflow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

import msgspec

from orka.errors import ConfigError, nearest
from orka.spec import orka09
from orka.spec.form import (
    Form,
    above,
    at_least,
    count,
    describe,
    listing,
    mapping,
    positive,
    text,
)
from orka.spec.guards import guards_of
from orka.spec.modules import modules_of
from orka.spec.policy import policy_of
from orka.spec.problems import Problem, Problems
from orka.spec.text import Mark, decode
from orka.spec.workflow import STRICT, AgentSpec, Backoff, Workflow
from orka.spec.yaml import Document, Path, read, spell
from orka.value import Json, plain

STRATEGIES = ("sequential", "graph")
# What OrKa 0.9 called them.
_OLD_STRATEGIES = {
    "simple": "sequential",
    "parallel": "graph",
    "dynamic": "graph",
    "decision-tree": "graph",
    "fork_join": "graph",
}
# Top keys that begin so are the author's: kept and ignored.
OWN = "x-"
TOP_KEYS = ("orchestrator", "agents", "version", "modules", "name", "description", "meta")
ORCHESTRATOR_KEYS: tuple[str, ...] = ("id", "strategy", "agents", "timeout", "model", "params")
ORCHESTRATOR_KEYS += ("max_concurrency", "guards", "policy")
AGENT_KEYS = (
    "id",
    "type",
    "next",
    "depends_on",
    "when",
    "on_error",
    "writes",
    "retries",
    "backoff",
    "timeout",
    "capabilities",
    "description",
    "guards",
)
ID_PATTERN = r"[A-Za-z_][A-Za-z0-9_.-]*"
_ID = re.compile(ID_PATTERN)
_SECONDS = "a number of seconds above 0"
# What a router may be, beside one.
IMPLEMENTATIONS = {"GraphScoutAgent": "graph-scout"}


def load(data: bytes | str | Mapping[str, Json], source: str = "<workflow>") -> Workflow:
    """The workflow written in `data`, YAML text or a map. Raises `ConfigError`, telling every
    problem that can be seen at once."""
    if isinstance(data, (bytes, str)):
        written = decode(data, source)
        return _spoken(read(written, source), written)
    document = Document(value=_json(data, source), marks={}, source=source)
    return _spoken(document, _text(document.value))


def _spoken(document: Document, written: str) -> Workflow:
    """The workflow of a file, whichever OrKa it was written for."""
    if not orka09.spoken(document.value):
        return _workflow(document, written, (), dialect=_declared(document))
    document, notes = orka09.rewritten(document)
    workflow = _workflow(document, written, (), dialect=orka09.OLD)
    return msgspec.structs.replace(workflow, notes=notes)


def _declared(document: Document) -> str:
    """The language of a file that is not of OrKa 0.9. Raises `ConfigError` for one nobody knows."""
    version = orka09.version_of(document.value) if isinstance(document.value, dict) else ""
    if version not in ("", STRICT):
        raise ConfigError(
            f"`version` is {version[:40]!r}: this OrKa reads version {STRICT}",
            where=document.where(("version",)),
            fix=f"write `version: {STRICT}`; a release of your own file belongs into `meta`",
            code="config.version",
        )
    return STRICT


def inner(workflow: Workflow, value: Json, path: Path) -> Workflow:
    """The workflow written at `path` of the same document, as an option of one of its agents."""
    if not isinstance(value, dict):
        raise ConfigError(
            f"{spell(path)} must be a workflow, found {describe(value)}",
            where=workflow.document.where(path),
            fix="write a map with the keys 'orchestrator' and 'agents'",
            code="config.type",
        )
    version = orka09.version_of(value)
    dialect = version if version in (STRICT, orka09.OLD) else workflow.dialect
    return _workflow(workflow.document, _text(value), path, value, dialect=dialect)


def again(workflow: Workflow, value: Json) -> Workflow:
    """The same file with another value in place of its own; what it says of places stays."""
    document = msgspec.structs.replace(workflow.document, value=value)
    found = _workflow(document, _text(value), (), dialect=workflow.dialect)
    return msgspec.structs.replace(found, notes=workflow.notes)


def alone(workflow: Workflow, value: Json, path: Path) -> Workflow:
    """The agent written at `path` of the same document as a workflow of that one agent."""
    form = Form(workflow.document, value, path, "the agent")
    if not isinstance(value, dict):
        form.wrong(value, "a map with 'id' and 'type'")
        form.problems.settle()
    name = text(value.get("id")) or ""
    form.agent, form.owner = name, f"agent {name!r}"
    spec = _agent(form, {name: form.where("id")})
    form.problems.settle()
    written = _text(value)
    return msgspec.structs.replace(
        workflow,
        id=spec.id,
        order=(spec.id,),
        agents=(spec,),
        guards=(),
        policy=None,
        text=written,
        path=path,
    )


def _text(value: Json) -> str:
    """JSON with keys in the order written: the order of routes and branches means something."""
    return msgspec.json.encode(value).decode()


def _written(value: Json) -> Json:
    """A copy with keys in the order written."""
    if isinstance(value, Mapping):
        return {key: _written(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(item) for item in value]
    return value


def _json(data: Mapping[str, Json], source: str) -> Json:
    try:
        _, notes = plain(data)
        value = _written(data)
    except (RecursionError, ValueError) as error:
        fix = "remove what contains itself"
        what = "the workflow is nested too deeply"
        raise ConfigError(what, where=source, fix=fix, code="config.too_large") from error
    except TypeError as error:
        what = f"not a JSON value: {error}"
        raise ConfigError(what, where=source, code="config.type") from error
    problems = Problems(source)
    fix = "use text keys, and text, finite numbers, booleans, lists and maps"
    for note in notes:
        what = f"not a JSON value: {note}"
        problems.add(Problem("config.type", what, fix, Mark(line=0, column=0), source))
    problems.settle()
    return value


def _workflow(
    document: Document, written: str, path: Path, value: Json = None, *, dialect: str = STRICT
) -> Workflow:
    form = Form(document, document.value if value is None else value, path, "the workflow")
    form.only(TOP_KEYS, OWN)
    head = _orchestrator(form)
    forms = _forms(form, dialect)
    ids = _ids(forms)
    workflow = Workflow(
        id=head.take("id", "text", text) or "",
        strategy=_strategy(head),
        agents=tuple(_agent(each, ids) for each in forms),
        order=_order(head, ids),
        timeout=head.take("timeout", _SECONDS, above(0)),
        max_concurrency=head.take("max_concurrency", "a whole number, 1 or more", positive) or 0,
        defaults=_defaults(head),
        guards=guards_of(head),
        policy=policy_of(head),
        modules=modules_of(form),
        source=document.source,
        document=document,
        text=written,
        path=path,
        dialect=dialect,
    )
    form.problems.settle()
    return workflow


def _orchestrator(form: Form) -> Form:
    form.require("orchestrator", "add 'orchestrator:' with an id")
    value = form.take("orchestrator", "a map", mapping)
    head = form.within(("orchestrator",), value or {}, "orchestrator")
    if value is not None:
        head.only(ORCHESTRATOR_KEYS)
        head.require("id", "add 'id:' with a name for this workflow")
    return head


def _strategy(head: Form) -> str:
    name = head.take("strategy", "text", text) or STRATEGIES[0]
    if name not in STRATEGIES:
        meant = _OLD_STRATEGIES.get(name)
        fix = f"did you mean {meant!r}?" if meant else nearest(name[:80], STRATEGIES)
        head.problem("config.type", f"there is no strategy {name[:80]!r}", fix, "strategy")
    return name


def _defaults(head: Form) -> dict[str, Json]:
    found: dict[str, Json] = {
        "model": head.take("model", "text", text),
        "params": head.take("params", "a map", mapping),
    }
    return {key: value for key, value in found.items() if value is not None}


def _forms(form: Form, dialect: str) -> list[Form]:
    """One form for each agent that is written as a map."""
    form.require("agents", "add 'agents:' with a list of agents")
    written = form.take("agents", "a list of agents, each a map with 'id' and 'type'", listing)
    if written == []:
        form.problem("config.missing_key", "'agents' is empty", "add an agent", "agents")
    forms = []
    for at, value in enumerate(written or ()):
        if value is None and dialect != STRICT:
            continue  # an agent that never runs: see orka09
        if isinstance(value, dict):
            forms.append(form.within(("agents", at), value, "the agent"))
        else:
            form.wrong(value, "a list of maps with 'id' and 'type'", "agents", at)
    return forms


def _ids(forms: list[Form]) -> dict[str, str]:
    """The ids of all agents and where they stand, in the order of the file."""
    first: dict[str, str] = {}
    for form in forms:
        name = text(form.value.get("id"))
        if name is None:
            continue
        here = form.where("id")
        form.agent, form.owner = name, f"agent {name!r}"
        if name in first:
            places = f"{first[name]} and {here}"
            what = f"two agents have the id {name!r}: {places}"
            form.problem("config.duplicate_id", what, "rename one of them", "id")
        first.setdefault(name, here)
    return first


def _agent(form: Form, ids: Mapping[str, str]) -> AgentSpec:
    form.require("type", "add 'type:' with the kind of agent it is")
    return AgentSpec(
        id=_id(form),
        type=_type(form),
        next=_names(form, "next", ids),
        depends_on=_names(form, "depends_on", ids) or (),
        when=form.take("when", "text: a condition", text),
        on_error=_on_error(form, ids),
        writes=form.take("writes", "text: the name that gets the output too", text),
        retries=form.take("retries", "a whole number, 0 or more", count) or 0,
        backoff=_backoff(form),
        timeout=form.take("timeout", _SECONDS, above(0)),
        capabilities=_words(form, "capabilities"),
        description=form.take("description", "text: what it is for", text) or "",
        guards=guards_of(form),
        options=_options(form),
        path=form.path,
    )


def _type(form: Form) -> str:
    """The type; a router's `implementation` is a type of its own."""
    name = form.take("type", "text", text) or ""
    if name != "router" or "implementation" not in form.value:
        return name
    made = form.take("implementation", "text", text) or ""
    if made and made not in IMPLEMENTATIONS:
        fix = nearest(made[:80], IMPLEMENTATIONS)
        what = f"a router has no implementation {made[:80]!r}"
        form.problem("config.unknown_type", what, fix, "implementation")
    return IMPLEMENTATIONS.get(made, name)


def _options(form: Form) -> dict[str, Json]:
    """The keys that belong to the agent's type."""
    taken = "implementation" if form.value.get("type") == "router" else ""
    own = (*AGENT_KEYS, taken)
    return {key: item for key, item in form.value.items() if key not in own}


def _id(form: Form) -> str:
    form.require("id", "add 'id:' with a name for it")
    name = form.take("id", "text", text) or ""
    if name and not _ID.fullmatch(name):
        fix = "use letters, digits, '_', '-' and '.', beginning with a letter or '_'"
        form.problem("config.type", f"{name!r} cannot be an agent's id", fix, "id")
    return name


def _backoff(form: Form) -> Backoff:
    value = form.take("backoff", "a map with initial, factor and limit", mapping) or {}
    backoff, usual = form.within(("backoff",), value, "backoff"), Backoff()
    backoff.only(Backoff.__struct_fields__)
    initial = backoff.take("initial", "a number of seconds, 0 or more", at_least(0))
    factor = backoff.take("factor", "a number, 1 or more", at_least(1))
    limit = backoff.take("limit", "a number of seconds, 0 or more", at_least(0))
    return Backoff(
        initial=usual.initial if initial is None else initial,
        factor=usual.factor if factor is None else factor,
        limit=usual.limit if limit is None else limit,
    )


def _order(head: Form, ids: Mapping[str, str]) -> tuple[str, ...]:
    if "agents" not in head.value:
        return tuple(ids)
    order = _names(head, "agents", ids)
    if order == ():
        fix = "list the ids of the agents that run, or remove the key to run all"
        head.problem("config.missing_key", "'agents' of orchestrator is empty", fix, "agents")
    return order or ()


def _names(form: Form, key: str, ids: Mapping[str, str]) -> tuple[str, ...] | None:
    """The agents named at `key`: one id or a list of them, each once."""
    value = form.take(key, "text or a list of text: ids of agents", _text_or_list)
    if value is None:
        return None
    if isinstance(value, str):
        _exists(form, value, ids, key)
        return (value,)
    names: dict[str, None] = {}
    for at, item in enumerate(value):
        if text(item) is None:
            form.wrong(item, "text: the id of an agent", key, at)
        elif item in names:
            what = f"{key!r} lists {item!r} twice"
            form.problem("config.duplicate_id", what, "keep one", key, at)
        else:
            names[item] = None
            _exists(form, item, ids, key, at)
    return tuple(names)


def _words(form: Form, key: str) -> tuple[str, ...]:
    """A list of words, each once."""
    value = form.take(key, "a list of text: words for what it can do", listing) or []
    for at, item in enumerate(value):
        if text(item) is None:
            form.wrong(item, "text: a word for what it can do", key, at)
        elif item in value[:at]:
            what = f"{key!r} lists {item!r} twice"
            form.problem("config.duplicate_id", what, "keep one", key, at)
    return tuple(item for item in value if isinstance(item, str))


def _text_or_list(value: Json) -> str | list[Json] | None:
    return value if isinstance(value, list) else text(value)


def _on_error(form: Form, ids: Mapping[str, str]) -> str | None:
    name = form.take("on_error", "text: the id of an agent", text)
    if name is not None:
        _exists(form, name, ids, "on_error")
    return name


def _exists(form: Form, name: str, ids: Mapping[str, str], *keys: str | int) -> None:
    if name not in ids:
        what = f"{keys[0]!r} of {form.owner} names {name!r}, and there is no such agent"
        form.problem("config.unknown_agent", what, nearest(name[:80], islice(ids, 200)), *keys)
