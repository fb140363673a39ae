"""What a node is given: its context, and the names that its templates and condition may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from orka.agent.context import Context
from orka.errors import GuardError, TemplateError
from orka.graph.graph import Node
from orka.run.render import render
from orka.run.seen import Copies
from orka.run.state import DONE, Scope
from orka.value import Json, copied


def context_of(run: str, scope: Scope, node: Node, clock: Callable[[], float]) -> Context:
    """The context of a node that has started."""
    index = scope.graph.index
    return Context(
        run=run,
        scope=scope.name,
        node=node.id,
        input=scope.input,
        outputs=Copies(scope.values, scope.places, scope.seen[node.index]),
        sources=tuple(id for id in node.sources if scope.status[index[id]] == DONE),
        config=node.config,
        render=partial(_render, run, scope, node),
        clock=clock,
    )


def names_for(run: str, scope: Scope, node: Node) -> Mapping[str, Json]:
    """The names of a node's templates and condition. Read only: nothing there is a copy."""
    outputs = scope.view(node.index)
    return {
        "input": scope.input,
        "previous_outputs": outputs,
        "outputs": outputs,
        "params": node.params,
        "run_id": run,
        "node_id": node.id,
    }


def wanted(run: str, scope: Scope, node: Node) -> bool:
    """What a node's condition says. Raises `GuardError` that names the condition, not the file."""
    if node.when is None:
        return True
    try:
        return node.when(names_for(run, scope, node))
    except GuardError as error:
        told = f"condition {node.when.text!r}: {error.what}"
        raise GuardError(told, fix=error.fix, code=error.code) from None


def _render(run: str, scope: Scope, node: Node, name: str) -> Json:
    if name in node.constants:
        return copied(node.templates[name])
    try:
        return render(node.templates[name], names_for(run, scope, node))
    except TemplateError as error:
        told = f"template {name!r}: {error.what}"
        raise TemplateError(told, fix=error.fix, code=error.code) from None
