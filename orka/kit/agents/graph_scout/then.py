"""What follows a decision: a person or another agent decides what was too close; the path runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orka.agent.context import Context
from orka.agent.following import Path, follow
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.kit.agents.graph_scout.options import GraphScoutOptions
from orka.score.ledger import Ledger
from orka.value import Json

_NONE = "none"
# So many reasons for which paths were left out are told in an error.
_PRUNED = 5
# So much of an answer that cannot be meant.
_TOLD = 200
_LABELS = {"decided": "success", "too_close": "too_close"}


class Choice(NamedTuple):
    """The paths to take, the first one first, and who says so."""

    decision: str
    paths: tuple[Path, ...]
    by: str


async def carried_out(ctx: Context, ledger: Ledger, task: str) -> dict[str, Json]:
    """The scout's output; with `execute` after the path was run."""
    options: GraphScoutOptions = ctx.config
    choice = await _choice(ctx, ledger, task)
    told = _told(ledger, choice)
    if not options.execute or not choice.paths:
        return told
    about = {k: ledger.context[k] for k in ("domain", "tenant") if ledger.context.get(k)}
    run = await follow(ctx, choice.paths, ctx.input, options.on_failure, about)
    committed = choice.decision.startswith("commit")
    return {
        **told,
        "decision": _kind(run.path) if committed else choice.decision,
        "path": list(run.path),
        "target": _target(run.path),
        "executed_path": list(run.path),
        "results": run.results,
        "given_up": run.given_up,
        "response": run.last,
    }


async def _choice(ctx: Context, ledger: Ledger, task: str) -> Choice:
    options: GraphScoutOptions = ctx.config
    outcome = ledger.outcome
    if outcome.status == "stopped":
        raise AgentError(
            f"{ctx.node!r} stops: {outcome.reason}",
            fix="see why with `orka why`; the policy of that factor says stop",
            code="scout.stopped",
        )
    if outcome.decision == "fallback":
        if not options.fallback:
            raise _no_path(ctx, ledger)
        told = f"the fallback {options.fallback!r} is taken"
        await ctx.note("scout.fallback", told, {"path": [options.fallback]})
        return Choice("fallback", ((options.fallback,),), "fallback")
    if outcome.decision != "human_gate":
        return Choice(outcome.decision, _paths(ledger, outcome.shortlist), "score")
    if outcome.ask:
        return await _other(ctx, ledger, task)
    return await _person(ctx, ledger, task)


def _paths(ledger: Ledger, ids: Sequence[str]) -> tuple[Path, ...]:
    return tuple(ledger.candidate(id).path for id in ids)


def _first(ledger: Ledger, id: str) -> tuple[Path, ...]:
    """The path that was named, then the others of the shortlist."""
    others = [each for each in ledger.outcome.shortlist if each != id]
    return _paths(ledger, [id, *others])


async def _person(ctx: Context, ledger: Ledger, task: str) -> Choice:
    """Ask a person, who may refuse all of them; an answer that names none is asked for again."""
    ids = list(ledger.outcome.shortlist)
    listed = "\n".join(_line(ledger, id) for id in ids)
    asked = f"{task}\n\nWhich path? It is undecided: {ledger.outcome.reason}\n{listed}"
    none = f"{_NONE} of them" if _NONE in ids else _NONE
    schema = {"type": "string", "enum": [*ids, none]}
    said, again = None, ""
    while said is None:
        answer = await ctx.ask(f"{again}{asked}", schema=schema)
        said = none if answer == none else _named(ledger, ids, answer)
        if said is None:
            known = "; ".join([*ids, none])
            again = f"{text_of(answer)[:_TOLD]!r} is none of: {known}\n\n"
            await ctx.note("scout.unclear", f"a person said {again.strip()}", {"said": answer})
    await ctx.note("scout.person", f"a person chose {said!r}", {"chosen": said})
    if said == none:
        return Choice("human_gate", (), "person")
    return Choice(_kind(ledger.candidate(said).path), _first(ledger, said), "person")


async def _other(ctx: Context, ledger: Ledger, task: str) -> Choice:
    """Ask the agent that is named. Its answer is a candidate, and nothing else."""
    ids = list(ledger.outcome.shortlist)
    listed = [_candidate(ledger, id) for id in ids]
    question = {"task": task, "candidates": listed, "why": ledger.outcome.reason}
    answer = await ctx.graph(ledger.outcome.ask, question)
    said = _named(ledger, ids, answer)
    if said is None:
        raise AgentError(
            f"agent {ledger.outcome.ask!r} was asked to choose, and said "
            f"{text_of(answer)[:_TOLD]!r}",
            fix=f"the answer has to be one of: {'; '.join(ids)}",
            code="scout.answer",
        )
    data = {"chosen": said, "agent": ledger.outcome.ask}
    await ctx.note("scout.agent", f"agent {ledger.outcome.ask!r} chose {said!r}", data)
    return Choice(_kind(ledger.candidate(said).path), _first(ledger, said), ledger.outcome.ask)


def _named(ledger: Ledger, ids: Sequence[str], answer: Json) -> str | None:
    """The one candidate that an answer names: by its id, its number in the list, or its path."""
    path = answer.get("path") if isinstance(answer, Mapping) else answer
    if isinstance(path, list):
        return next((id for id in ids if list(ledger.candidate(id).path) == path), None)
    said = text_of(answer).strip().strip("\"'`.")
    numbered = {str(number): id for number, id in enumerate(ids, 1)}
    return said if said in ids else numbered.get(said)


def _line(ledger: Ledger, id: str) -> str:
    score = _scores(ledger)[id]
    return f"- {id} (score {score})"


def _scores(ledger: Ledger) -> dict[str, float | None]:
    return {place.id: place.score for place in ledger.outcome.ranking}


def _candidate(ledger: Ledger, id: str) -> dict[str, Json]:
    path = list(ledger.candidate(id).path)
    return {"id": id, "node_id": path[-1], "path": path, "score": _scores(ledger)[id]}


def _kind(path: Path) -> str:
    return "commit_next" if len(path) == 1 else "commit_path"


def _target(path: Path) -> Json:
    return path[0] if len(path) == 1 else list(path)


def _told(ledger: Ledger, choice: Choice) -> dict[str, Json]:
    outcome, path = ledger.outcome, choice.paths[0] if choice.paths else ()
    shortlist = [_candidate(ledger, id) for id in outcome.shortlist]
    chosen = next((c["score"] for c in shortlist if tuple(c["path"]) == path), None)
    return {
        "decision": choice.decision,
        "target": shortlist if choice.decision == "shortlist" else _target(path) if path else None,
        "path": list(path),
        "shortlist": shortlist,
        "scores": _scores(ledger),
        "confidence": chosen,
        "margin": outcome.margin,
        "status": _LABELS.get(outcome.status, outcome.status),
        "reasoning": outcome.reason,
        "by": choice.by,
    }


def _no_path(ctx: Context, ledger: Ledger) -> AgentError:
    left = "; ".join(f"{each.reason}: {each.message}" for each in ledger.pruned[:_PRUNED])
    none = ledger.outcome.status == "no_candidates"
    wanted = (
        "define agents that are in no list, route or branch: they are the candidates"
        if none
        else "loosen what excludes them (a budget, a rule that forbids, a criterion, a policy)"
    )
    return AgentError(
        f"{ctx.node!r} has no path to choose: {ledger.outcome.reason}"
        + (f"; left out were {left}" if left else ""),
        fix=f"{wanted}; or name a `fallback`; `orka why` shows what was pruned or excluded",
        code="scout.no_path",
    )
