"""Effects: asked, held back, put before a person, answered, retried."""

from __future__ import annotations

from collections.abc import Sequence

from orka.agent.approving import approved
from orka.agent.effect import Effect
from orka.errors import AgentError, Failure
from orka.event.event import EffectAnswered, EffectRequested, Gated, Noted, ScopeOpened
from orka.graph.policy import Policy
from orka.run.authority import (
    Ruling,
    denial,
    mismatch,
    policies_around,
    question_of,
    refused_by_person,
    ruled,
)
from orka.run.ends import Ends
from orka.run.payload import backoff, payload_of
from orka.run.quarantine import held_in, kept_apart, refusal, without_fences
from orka.run.scope import Asked, Call, Scope
from orka.run.seal import bare, expired, sealed
from orka.run.strand import Strand, at_fault, read
from orka.run.tries import Once, key_of
from orka.value import Json, copied, identical

# Behind the id of a call of a tool: the question to a person that stands before it.
GATE = ".gate"


class Asks(Ends):
    """What the scheduler does about effects."""

    def _advance(self, strand: Strand, value: Json, error: Failure | None) -> None:
        raise NotImplementedError

    def _enter(self, scope: Scope) -> None:
        raise NotImplementedError

    def _reopen(self, scope: Scope) -> None:
        raise NotImplementedError

    def _ask(self, strand: Strand, effect: Effect) -> None:
        id = f"{strand.prefix}{strand.asked}"
        strand.asked += 1
        node = strand.scope.graph.nodes[strand.index]
        effect = Effect(str(effect.kind), effect.payload)  # whatever it is, it says one thing only
        payload = read(payload_of, effect, node)
        if isinstance(payload, Failure):
            self._raised_by(strand, payload)
            return
        asked = self.state.effects.get(id)
        if asked is not None:
            self._ask_again(strand, asked, effect.kind, payload)
            return
        if self._drains(strand.scope):
            return  # asked after a resume, if there is one
        once = strand.scope.once
        if once is not None and (known := self._earlier(once, effect.kind, payload)):
            self._request(strand, id, effect.kind, payload, known)
            self._agenda.append((self._deliver, self.state.effects[id]))
            return
        if effect.kind == "llm":
            payload = self._kept_apart(strand, payload)
            if self._holds_back(strand, payload):
                return
        if self._passes(strand, Call(id, payload), effect.kind):
            self._request(strand, id, effect.kind, payload)

    def _request(self, strand: Strand, id: str, kind: str, payload: Json, known: str = "") -> None:
        """Ask for an effect for the first time. `known`: the effect that has its answer."""
        strand.last = id
        self._waiting[id] = strand
        timeout = strand.scope.graph.nodes[strand.index].timeout
        if kind == "ask" and not known:
            payload = self._sealed(id, payload, 1)
        self._emit(EffectRequested(id, kind, payload, timeout=timeout, answer=known))
        if kind == "graph" and not known:
            self._emit(ScopeOpened(id, payload["graph"]))
            self._enter(self.state.scopes[id])

    def _earlier(self, once: Once, kind: str, payload: Json) -> str:
        """The effect of an earlier try that has answered this question already, or ""."""
        key = key_of(kind, payload)
        return once.next(key) if key is not None else ""

    def _raised_by(self, strand: Strand, failure: Failure) -> None:
        """Let the agent see a failure of a question that was never asked."""
        self._agenda.append((self._advance, strand, None, failure))

    def _ask_again(self, strand: Strand, asked: Asked, kind: str, payload: Json) -> None:
        """A reopened node comes to a question it asked before: known answers are kept."""
        strand.last = asked.id
        tainted = self.state.quarantine.tainted
        if asked.kind != kind or not _same(asked, payload, tainted=tainted):
            error = AgentError(
                f"effect {asked.id!r} is not the question that was recorded",
                code="agent.nondeterministic",
                fix="if the agent's code was changed on purpose, fork the run; do not resume it",
            )
            self._raised_by(strand, error.failure())
            return
        if not asked.answered and self._drains(strand.scope):
            return
        if asked.answered:
            self._waiting[asked.id] = strand
            self._agenda.append((self._deliver, asked))
        elif kind == "graph":
            self._waiting[asked.id] = strand
            self._reopen(self.state.scopes[asked.id])
        elif kind == "llm" and self._holds_back(strand, asked.payload):
            return
        elif self._passes(strand, Call(asked.id, payload, asked), kind):
            self._request_again(strand, asked, payload if kind == "ask" else asked.payload)

    def _request_again(self, strand: Strand, asked: Asked, payload: Json) -> None:
        self._waiting[asked.id] = strand
        timeout, number = strand.scope.graph.nodes[strand.index].timeout, asked.attempt + 1
        if asked.kind == "ask":
            payload = self._sealed(asked.id, payload, number)
        self._emit(EffectRequested(asked.id, asked.kind, payload, number, timeout=timeout))

    def _sealed(self, id: str, payload: Json, attempt: int) -> Json:
        run, graph, now = self.state.run, self.state.graph.digest, self.state.now
        return sealed(payload, run=run, graph=graph, effect=id, attempt=attempt, now=now)

    def _answered(self, fact: EffectAnswered) -> None:
        asked = self.state.pending[fact.id]
        node = asked.scope.graph.nodes[asked.index]
        self._emit(fact)
        failure = fact.error
        again = failure and failure.retryable and asked.retried < node.retries
        if failure and again and not self._drains(asked.scope):
            wait = round(max(backoff(node, asked.retried), failure.retry_after or 0.0), 6)
            counts = (asked.attempt + 1, asked.retried + 1, wait, node.timeout)
            self._emit(EffectRequested(asked.id, asked.kind, asked.payload, *counts))
            return
        self._deliver(asked)

    def _deliver(self, asked: Asked) -> None:
        strand = self._waiting.pop(asked.id, None)
        call = self._calls.pop(asked.id, None)
        if strand is None or strand.dead:
            return
        strand.now = asked.at
        if call is not None:
            self._ruled_by_person(strand, asked, call)
            return
        if asked.took is not None:
            strand.here.took(asked.took)
        error = at_fault(asked.error, asked.id) if asked.error else None
        strand.given = None if error else asked
        self._advance(strand, copied(asked.value), error)

    # ---- prompts: what is quarantined stands in a fence, or nowhere

    def _kept_apart(self, strand: Strand, payload: Json) -> Json:
        """The question with quarantined text in a fence wherever its author cannot put it into one:
        in what tools and models said, and all through a file of OrKa 0.9, which knows no fences."""
        scope, quarantine = strand.scope, self.state.quarantine
        if not quarantine.tainted:
            return payload
        messages = kept_apart(payload["messages"], quarantine, whole=scope.graph.lenient)
        if messages == payload["messages"]:
            return payload
        node, told = scope.graph.nodes[strand.index].id, "quarantined text was put into a fence"
        self._emit(Noted(node, strand.last, "prompt.fenced", told, None, scope.name))
        return {**payload, "messages": messages}

    def _holds_back(self, strand: Strand, payload: Json) -> bool:
        """True for a prompt that is not asked, because of what it holds."""
        count = held_in(payload, self.state.quarantine)
        if count:
            node = strand.scope.graph.nodes[strand.index].id
            self._raised_by(strand, refusal(node, count))
        return bool(count)

    # ---- tools: allowed, refused, or put before a person

    def _passes(self, strand: Strand, call: Call, kind: str) -> bool:
        """True if the effect may be asked for now."""
        policies = policies_around(strand.scope) if kind == "tool" else ()
        if not policies:
            return True
        scope, tainted = strand.scope, self.state.quarantine.tainted
        node, name = scope.graph.nodes[strand.index].id, call.payload["name"]
        ruling = self._ruling(policies, call.payload)
        about = (name, ruling.verdict, ruling.rule, ruling.reason)
        self._emit(Gated(node, call.effect, *about, scope.name))
        if ruling.verdict == "deny":
            self._raised_by(strand, denial(node, name, ruling))
        elif ruling.verdict == "ask":
            shown = {"args": call.payload["args"], "tool": name}
            self._put_before(strand, call, question_of(node, shown, ruling, tainted=tainted))
        return ruling.verdict == "auto"

    def _ruling(self, policies: Sequence[Policy], call: Json) -> Ruling:
        input, tainted = self.state.scopes[""].input, self.state.quarantine.tainted
        return ruled(policies, call["name"], call["args"], input, tainted=tainted)

    def _is_stale(self, asked: Asked) -> bool:
        """True for a call that was let pass and, if it is made only now, would not be."""
        policies = policies_around(asked.scope) if asked.kind == "tool" else ()
        if not policies or (verdict := self._ruling(policies, asked.payload).verdict) == "auto":
            return False
        gate = self.state.effects.get(f"{asked.id}{GATE}")
        if verdict == "deny" or gate is None or not approved(gate.value):
            return True
        return expired(gate.payload, self.state.now)

    def _put_before(self, strand: Strand, call: Call, question: Json) -> None:
        """Ask a person about a call; what was answered is not asked again, unless its time is
        over before the call was made."""
        id = f"{call.effect}{GATE}"
        gate = self.state.effects.get(id)
        if gate is None:
            self._calls[id] = call
            self._request(strand, id, "ask", question)
            return
        if not identical(gate.payload["call"], question["call"]):
            self._raised_by(strand, mismatch(id))
            return
        self._calls[id] = call
        if gate.answered and not (approved(gate.value) and expired(gate.payload, self.state.now)):
            self._waiting[id] = strand
            self._agenda.append((self._deliver, gate))
        else:
            self._request_again(strand, gate, question)

    def _ruled_by_person(self, strand: Strand, gate: Asked, call: Call) -> None:
        """A person has answered: the very call that was shown runs, or the agent sees a failure."""
        node = strand.scope.graph.nodes[strand.index].id
        shown = gate.payload["call"]
        if gate.error is not None:
            failure = at_fault(gate.error, gate.id)
        elif not approved(gate.value):
            failure = refused_by_person(node, shown["tool"], gate.value)
        elif not identical(shown["args"], call.payload["args"]):
            failure = mismatch(gate.id)
        elif self._drains(strand.scope):
            return  # asked after a resume, if there is one
        elif call.again is not None:
            self._request_again(strand, call.again, call.payload)
            return
        else:
            self._request(strand, call.effect, "tool", call.payload)
            return
        self._advance(strand, None, failure)


def _same(asked: Asked, payload: Json, *, tainted: bool) -> bool:
    """True if an agent asks what was recorded; what the run put into a question is left out."""
    if asked.kind == "ask":
        return bool(bare(asked.payload) == payload)
    if asked.kind == "llm" and tainted:
        return bool(without_fences(asked.payload) == without_fences(payload))
    return bool(asked.payload == payload)
