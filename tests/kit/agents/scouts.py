"""A scout in a workflow of tools that count their calls; each run is replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import orka
from orka.agent.tool import FunctionTool
from orka.event.event import Decided, EffectRequested, Noted
from orka.score.criterion import Criterion, Proposal, State, criterion
from orka.score.factor import Abstained, Reading
from orka.score.ledger import Ledger
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json

Node = Mapping[str, Json]
MODEL = "scripted/m"
ARROW = " → "


class Tools:
    """The tool `act`: it counts its calls by step, and raises for those that are to fail (so often,
    or always)."""

    def __init__(self, failing: Mapping[str, int] | Iterable[str] = ()) -> None:
        self.calls: Counter[str] = Counter()
        counts = failing if isinstance(failing, Mapping) else dict.fromkeys(failing, 1_000)
        self._failing = dict(counts)

    @property
    def act(self) -> FunctionTool:
        @orka.tool
        async def act(step: str, sees: object = None) -> str:
            """Do a step."""
            self.calls[step] += 1
            if self._failing.get(step, 0) > 0:
                self._failing[step] -= 1
                raise RuntimeError(f"{step} is broken")
            return f"{step} done" if sees is None else f"{step} saw {sees}"

        return act


def does(id: str, **more: Json) -> dict[str, Json]:
    """An agent that does its step."""
    return {"id": id, "type": "tool", "tool": "act", "args": {"step": id}, **more}


ABC = (does("a"), does("b"), does("c"))


def flow(pool: Sequence[Node] = ABC, *, more: Sequence[Node] = (), **options: Json) -> Json:
    """A scout, what follows it, and the agents it may choose."""
    scout = {"id": "scout", "type": "graph-scout", **options}
    order = ["scout", *(each["id"] for each in more)]
    return {
        "version": 1,
        "orchestrator": {"id": "t", "agents": order},
        "agents": [scout, *more, *pool],
    }


def ranked(*paths: str, by: Sequence[float] = ()) -> dict[str, Json]:
    """Options by which the declared paths (`"a b"`) come out in this order, each 0.1 ahead of the
    next (or with the values `by`), without a model."""
    values = by or [1 - at / 10 for at in range(len(paths))]
    whole = [path.split() for path in paths]
    return {
        "paths": whole,
        "max_depth": max(map(len, whole)),
        "criteria": ["given"],
        "weights": {"given": 1},
        "domain": " ".join(map(str, values)),
    }


@criterion("given")
def given(candidate: Proposal, state: State) -> object:
    """The value that `ranked` gives a path: by its place among the candidates."""
    at = [each.name for each in state.candidates].index(candidate.name)
    told: list[str] = str(state.names["domain"]).split()
    return float(told[at])


def by_first(
    values: Mapping[str, object], name: str = "mine", *, penalty: bool = False
) -> Criterion:
    """A criterion that says of a path what is written for its first agent."""

    @criterion(name, penalty=penalty)
    def measured(candidate: Proposal, state: State) -> object:
        value = values[candidate.path[0]]
        if isinstance(value, Exception):
            raise value
        return value

    return measured


class Scouted:
    """A run, with all that was asked and done. `answers` are those to what people are asked, and
    `corrected` what they say if they are asked again."""

    def __init__(
        self,
        written: Json,
        replies: Mapping[str, Sequence[object]] | None = None,
        input: Json = "the task",
        *,
        use: Sequence[object] = (),
        failing: Mapping[str, int] | Iterable[str] = (),
        answers: Mapping[str, Json] | None = None,
        corrected: Mapping[str, Json] | None = None,
    ) -> None:
        self.model = ScriptedModel(Script({id: list(all) for id, all in (replies or {}).items()}))
        self.tools = Tools(failing)
        self.answers, self.corrected = answers or {}, corrected or answers or {}
        self.run = run_virtual(self._go(written, input, [self.tools.act, given, *use]))

    async def _go(self, written: Json, input: Json, use: Sequence[object]) -> orka.Run:
        models = {"scripted": self.model}
        async with orka.Runtime(store=":memory:", models=models, clock=clock, use=use) as runtime:
            run = await runtime.run(written, input)
            self.asked = [str(question.payload["prompt"]) for question in run.questions]
            answers = self.answers
            while run.questions and answers:
                question = run.questions[0].id
                run = await runtime.answer(run.id, question, answers[_node(question)])
                self.asked += [str(question.payload["prompt"]) for question in run.questions]
                answers = self.corrected
            assert not runtime.replay(run.id).unwritten
            return run

    @property
    def output(self) -> Json:
        assert self.run.status == "completed", self.run.failure
        return self.run.output

    @property
    def failure(self) -> str:
        """The code of the failure."""
        assert self.run.failure is not None, self.run.output
        return self.run.failure.code

    @property
    def ledger(self) -> Ledger:
        (event,) = [event for event in self.run.events if isinstance(event, Decided)]
        return Ledger.read(event.value)

    @property
    def calls(self) -> dict[str, int]:
        return dict(self.tools.calls)

    def factor(self, name: str) -> dict[str, Reading]:
        """What was measured, by path."""
        return {each.id: each.factors[name] for each in self.ledger.candidates}

    def values(self, name: str) -> dict[str, float | str]:
        """What was measured: the value, or why nobody knows."""
        found = self.factor(name)
        return {
            id: held.cause if isinstance(held, Abstained) else held.value
            for id, held in found.items()
        }

    @property
    def pruned(self) -> dict[str, str]:
        return {each.reason: each.message for each in self.ledger.pruned}

    @property
    def out(self) -> dict[str, str]:
        """Why a candidate could not be chosen."""
        return {place.id: place.why for place in self.ledger.outcome.ranking if place.why}

    def notes(self, kind: str) -> list[Noted]:
        return [e for e in self.run.events if isinstance(e, Noted) and e.kind == kind]

    @property
    def requests(self) -> list[EffectRequested]:
        return [e for e in self.run.events if isinstance(e, EffectRequested)]


def _node(effect: str) -> str:
    return effect.rpartition("/")[2].partition("#")[0]


def scouted(pool: Sequence[Node] = ABC, **options: Json) -> Scouted:
    """The run of a scout that asks nobody."""
    return Scouted(flow(pool, **options))


def said(*scores: int) -> Json:
    """What a judge says of the paths P1, P2 … in one answer."""
    return {
        f"P{at}": {"reason": f"why {score}", "score": score} for at, score in enumerate(scores, 1)
    }
