"""Sensors: a model's answer is a measurement until it has passed its contract."""

from orka.agent.sensor.choice import Choice, twins
from orka.agent.sensor.contract import Contract
from orka.agent.sensor.ladder import read
from orka.agent.sensor.options import ModelOptions, Route, model_problem, model_shape
from orka.agent.sensor.reading import Reading, Repair, ToolCall
from orka.agent.sensor.select import select
from orka.agent.sensor.sense import sense

__all__ = [
    "Choice",
    "Contract",
    "ModelOptions",
    "Reading",
    "Repair",
    "Route",
    "ToolCall",
    "model_problem",
    "model_shape",
    "read",
    "select",
    "sense",
    "twins",
]
