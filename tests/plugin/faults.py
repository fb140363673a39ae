"""Plugins that are wrong on purpose: for each check of the conformance kit one that fails it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Fault(NamedTuple):
    """A plugin file, and the check of a kind that it fails."""

    kind: str
    check: str
    code: str


HEAD = """
import asyncio, os, sys, threading, time
from typing import Annotated, Any
import click, msgspec, orka
from orka.agent.agent import Shape
from orka.errors import ScreenError
from orka.plugin.manifest import Manifest
from orka.port.factory import command, memory, model, store
from orka.port.guard import Finding, Screened, guard
from orka.port.view import view
from orka.score.criterion import criterion
from orka.score.strategy import Choice, commit, strategy
"""
TOOL = '@orka.tool\ndef t() -> str:\n    "Do it."\n    return "done"\n'


def manifest(more: str = "", name: str = "bad", things: str = "tools=('t',)") -> str:
    told = "version='1', description='A bad plugin.'"
    return f"{TOOL}manifest = Manifest(name={name!r}, {told}, {things}, {more})\n"


PLUGIN = {
    "loads without an error": "1 / 0",
    "brings something": "1 / 0",
    "prints nothing while it loads": f"print('hello')\n{TOOL}",
    "starts no thread while it loads": (
        f"threading.Thread(target=threading.Event().wait, daemon=True).start()\n{TOOL}"
    ),
    "reaches no network while it loads": (
        f"import socket\nsocket.getaddrinfo('127.0.0.1', 1)\n{TOOL}"
    ),
    "writes no file while it loads": f"open(__file__ + '.txt', 'w').close()\n{TOOL}",
    "starts no program while it loads": f"os.system('true')\n{TOOL}",
    "leaves the process as it was": f"os.environ['ORKA_TRY'] = '1'\n{TOOL}",
    "leaves the core as it was": (
        f"import orka.value\norka.value.canonical = lambda value: b'1'\n{TOOL}"
    ),
    "leaves the traces of the core byte identical": (
        "from orka.run import scheduler\nscheduler.output_of = lambda value: (7, ())\n"
        f"from orka.run import ends\n{TOOL}"
    ),
    "can be loaded twice": (
        "sys.orka_times = getattr(sys, 'orka_times', 0) + 1\n"
        "name = f't{sys.orka_times}'\n@orka.tool(name=name)\ndef t() -> str: ...\n"
    ),
    "takes no name of the core": "@orka.agent('llm')\nasync def llm(ctx): ...\n",
    "imports only what is for plugins": f"import orka.engine.worker\n{TOOL}",
    "never ends the process": TOOL.replace('return "done"', "sys.exit(3)"),
    "is free of bare excepts": TOOL.replace(
        '    return "done"', '    try:\n        return "x"\n    except:\n        return "y"'
    ),
    "has a manifest": TOOL,
    "lists all it brings": manifest(things="tools=()"),
    "lists nothing it does not bring": manifest(things="tools=('t', 'u')"),
    "says what it is for": f"{TOOL}manifest = Manifest(name='bad', version='1', tools=('t',))\n",
    "its manifest has a version": manifest().replace("version='1'", "version='latest'"),
    "names hosts as hosts": manifest("hosts=('https://example.org/x',)"),
    "names files below a folder": manifest("files=('../x',)"),
    "asks for no more than it needs": manifest("hosts=('*',)"),
    "uses models that may exist": manifest("models=('nobody/x',)"),
    "declares the variables it reads": manifest().replace('"done"', 'os.environ["ORKA_TRY"]'),
    "declares hosts if it imports a network": f"import urllib.request\n{manifest()}",
    "declares programs if it starts some": f"import subprocess\n{manifest()}",
    "uses each kind of name once": manifest("hosts=('a', 'a')"),
}


def agent(body: str = "return 1", options: str = "", more: str = "", doc: str = '"Do."') -> str:
    lines = body.replace("\n", "\n    ")
    return (
        "class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):\n"
        f"    {options or 'pass'}\n"
        f"@orka.agent('a', config=Options, {more})\n"
        f"async def a(ctx):\n    {doc}\n    {lines}\n"
    )


COUNTED = "COUNT = []\ndef count():\n    COUNT.append(1)\n    return len(COUNT)\n"
AGENT = {
    "says what it does": agent(doc="pass"),
    "is called plainly": agent().replace("'a'", "'a b'"),
    "takes one context": (
        "class Sly(msgspec.Struct):\n    pass\n"
        "def odd(*ctx):\n    ...\nasync def a(ctx, more): ...\n"
    ),
    "its options refuse keys nobody reads": agent().replace(", forbid_unknown_fields=True", ""),
    "its options cannot be changed": agent().replace("frozen=True, ", ""),
    "its options have a json schema": "",
    "the defaults of its options are json": agent(options="limit: int = 'many'"),
    "its options have plain names": agent(options="timeout: int = 5"),
    "names templates that are options": agent(more="templates=('gone',)"),
    "shapes the same graph each time": COUNTED
    + agent(more="shape=lambda options: Shape(output={'const': count()})"),
    "checks its options the same each time": COUNTED
    + agent(more="check=lambda options: '' if count() != 3 else 'x'"),
    "reaches for nothing itself": agent("return time.time()"),
    "ends when it is run": agent("while True:\n    pass"),
    "awaits only what its context gives": agent("await asyncio.sleep(0)"),
    "raises nothing of its own": agent("return 1 / 0"),
    "gives json": agent("return {1: float('nan')}"),
    "gives what it declares": agent(more="gives={'type': 'string'}"),
    "asks only what its manifest names": agent("return await ctx.tool('http')")
    + "manifest = Manifest(name='bad', agents=('a',))\n",
    "does the same twice": COUNTED + agent("return await ctx.tool('t', at=count())"),
    "replays byte for byte": COUNTED + agent("return await ctx.tool('t', at=count())"),
    "can be taken up after any event": COUNTED + agent("await ctx.random()\nreturn count()"),
    "gives the same in any order of answers": (
        "DONE = []\nasync def one(ctx, at):\n    await ctx.llm('p', model='m', params={'at': at})\n"
        "    DONE.append(at)\n"
        + agent(
            "DONE.clear()\nawait ctx.all(*(one(ctx, at) for at in range(6)))\nreturn list(DONE)"
        )
    ),
    "meets effects that fail": agent(
        "try:\n    return await ctx.tool('t')\nexcept orka.EffectFailed as error:\n    return 1 / 0"
    ),
    "leaves its options as they are": agent(
        "ctx.config.words.append('x')\nreturn 1", "words: list[str] = ['a']"
    ).replace("['a']", "msgspec.field(default_factory=list)"),
}


def tool(
    body: str = 'return "done"', head: str = "def t(text: str) -> Any:", mark: str = ""
) -> str:
    lines = body.replace("\n", "\n    ")
    return f'@orka.tool{mark}\n{head}\n    "Do it."\n    {lines}\n'


OWN_TOOL = """
class Own:
    name, description, idempotent, blocking = "t", "Do it.", False, True
    schema = {schema}
    function = staticmethod(lambda: None)
    def call(self, args, key):
        return "done"
from orka.agent.tool import FunctionTool
class Arguments(msgspec.Struct):
    text: str = ""
t = FunctionTool(name="t", function=lambda text="": "done", arguments=Arguments,
                 schema={schema}, description="Do it.")
t.function.__module__ = __name__
"""
TOOL_FAULTS = {
    "says what it does": "@orka.tool\ndef t() -> str: ...\n",
    "is called plainly": tool(mark="(name='a b')"),
    "its schema is a json schema": OWN_TOOL.replace("{schema}", '{"type": "nothing"}'),
    "its schema describes named arguments": OWN_TOOL.replace("{schema}", '{"type": "array"}'),
    "refuses arguments that are missing": OWN_TOOL.replace(
        "{schema}", '{"type": "object", "required": ["text"]}'
    ),
    "refuses arguments nobody reads": OWN_TOOL.replace("{schema}", '{"type": "object"}'),
    "refuses arguments of another type": OWN_TOOL.replace(
        "{schema}", '{"type": "object", "properties": {"text": {"type": "string"}}}'
    ).replace("text: str", "text: Any"),
    "gives json": tool("return object()"),
    "gives what it declares": tool("return 5", mark="(gives={'type': 'string'})"),
    "leaves its arguments as they are": OWN_TOOL.replace("{schema}", '{"type": "object"}').replace(
        'lambda text="": "done"', 'lambda text="": "done"'
    )
    + "class Eats(FunctionTool, frozen=True):\n"
    "    def call(self, args, key):\n        args['eaten'] = 1\n"
    "t = Eats(**{f: getattr(t, f) for f in t.__struct_fields__})\n",
    "keeps to its manifest": tool("return open('/etc/passwd').read()")
    + "manifest = Manifest(name='bad', tools=('t',))\n",
    "can be called in several threads at once": (
        "BUSY = threading.Lock()\nBARRIER = threading.Event()\n"
        + tool(
            "if not BUSY.acquire(blocking=False):\n    raise RuntimeError('one at a time')\n"
            "BARRIER.wait(0.05)\nBUSY.release()\nreturn 1"
        )
    ),
    "acts once for one key if it says so": COUNTED
    + tool("return count()", mark="(idempotent=True)"),
    "says that it acts once if it takes the key": tool(
        head="def t(text: str, effect_key: str) -> Any:"
    ),
    "lets its event loop go on": tool(
        "threading.Event().wait(8)", head="async def t(text: str) -> Any:"
    ),
    "ends when it is cancelled": tool(
        "for _ in range(50):\n    try:\n        await asyncio.sleep(0.1)\n"
        "    except asyncio.CancelledError:\n        pass",
        head="async def t(text: str) -> Any:",
    ),
}


def looks(
    body: str, reach: str = "0", options: str = "pass", made: str = "", doc: str = '"G."'
) -> str:
    lines = body.replace("\n", "\n        ")
    return (
        "class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):\n"
        f"    {options}\n"
        f"class Looks:\n    reach = {reach}\n    def screen(self, text, /):\n        {lines}\n"
        f"@guard('g', config=Options)\ndef g(options):\n    {doc}\n    {made}\n    return Looks()\n"
    )


PASS = "return Screened(text=text)"


def finds(start: str, end: str, more: str = "") -> str:
    one = f"Finding(kind='K', start={start}, end={end})"
    return f"return Screened(text=text, verdict='quarantine', findings=({one}, {more}))"


GUARD = {
    "says what it does": looks(PASS, doc="pass"),
    "is called plainly": looks(PASS).replace("'g'", "'a b'"),
    "its options refuse keys nobody reads": looks(PASS).replace(", forbid_unknown_fields=True", ""),
    "its options cannot be changed": looks(PASS).replace("frozen=True, ", ""),
    "its options have a json schema": "",
    "the defaults of its options are json": looks(PASS, options="limit: int = 'many'"),
    "can be made of its options": looks(PASS, made="1 / 0"),
    "says how far a finding reaches": looks(PASS, reach="'far'"),
    "lets an empty text pass": looks("return Screened(text=text, verdict='block', told='no')"),
    "says one of the verdicts": looks("return Screened(text=text, verdict='maybe')"),
    "says the same twice": COUNTED + looks("return Screened(text=text, score=1 / count())"),
    "changes a text only if it says so": looks("return Screened(text=text + '!')"),
    "finds within the text": looks(finds("0", "999")),
    "finds in order and never twice": looks(finds("0", "5", "Finding(kind='L', start=3, end=7)")),
    "is sure between zero and one": looks("return Screened(text=text, score=5.0)"),
    "says why if a text may not pass": looks("return Screened(text=text, verdict='block')"),
    "changes nothing that it has changed": looks(
        "return Screened(text=text + '!', verdict='changed')"
    ),
    "meets any text": looks("text.encode('ascii')\nreturn Screened(text=text)"),
    "meets a long text": looks("if len(text) > 9999:\n    raise ValueError\n" + PASS),
    "says of a stream what it says of the whole": looks(
        "start, end = text.find('Ignore'), text.find('prompt')\n"
        "if min(start, end) < 0:\n    return Screened(text=text)\n"
        "found = (Finding(kind='K', start=start, end=end),)\n"
        "changed = text[:start] + '[K_REDACTED]' + text[end:]\n"
        "return Screened(text=changed, verdict='changed', findings=found)"
    ),
}


def measures(body: str) -> str:
    lines = body.replace("\n", "\n    ")
    return f"@criterion('c')\ndef c(candidate, state):\n    {lines}\n"


CRITERION = {
    "is called plainly": measures("return 1.0").replace("'c'", "'a b'"),
    "gives a value in range or abstains": measures("return 5"),
    "gives a number or a cause": measures("return 'high'"),
    "abstains rather than raise": measures("return 1 / 0"),
    "says why it abstains": measures("return None"),
    "measures the same twice": COUNTED + measures("return 1 / count()"),
    "does not care about the order of candidates": measures(
        "names = [each.name for each in state.candidates]\n"
        "return 1 / (1 + names.index(candidate.name))"
    ),
    "leaves what it is given": measures("state.outputs['seen'] = 1\nreturn 1.0"),
}


def chooses(body: str) -> str:
    return f"@strategy('s')\ndef s(situation):\n    {body}\n"


STRATEGY = {
    "is called plainly": chooses("return commit(situation)").replace("'s'", "'a b'"),
    "chooses among what is ranked": chooses("return Choice(decision='commit_next', chosen='x')"),
    "chooses the same twice": COUNTED + chooses("return commit(situation, reason=str(count()))"),
    "chooses where there is one candidate": chooses("return commit(situation, 1)"),
}


def shows(body: str, doc: str = '"A page."') -> str:
    return f"@view('v')\ndef v(run):\n    {doc}\n    {body}\n"


VIEW = {
    "is called plainly": shows("return 'x'").replace("'v'", "'a b'"),
    "says what it shows": shows("return 'x'", doc="pass"),
    "shows a run that completed": shows("return ''"),
    "shows a run that failed": shows("return run.outputs['one']"),
    "shows a run that waits": shows("return 'x' if run.status != 'waiting' else ''"),
    "shows the same twice": COUNTED + shows("return count()"),
    "leaves the run as it is": shows("run.lines.append(b'x'); return 'x'"),
}
_PROVIDER = "@model('m')\nclass M:\n    {body}\n"
MODEL = {
    "is made without arguments": _PROVIDER.format(body="def __init__(self, key): ..."),
    "completes as a coroutine": _PROVIDER.format(body="def complete(self, r, c, e): ..."),
    "takes a request a call and an emitter": _PROVIDER.format(
        body="async def complete(self, request): ..."
    ),
    "closes as a coroutine if it closes": _PROVIDER.format(body="def close(self): ..."),
}
_COMMAND = '@command("c")\n@click.command(){mark}\ndef c({args}):\n    {doc}\n'
COMMAND = {
    "is a click command": "@command('c')\ndef c(): ...\n",
    "takes no name of a command of the core": _COMMAND.format(
        mark="", args="", doc='"Run."'
    ).replace('"c"', '"run"'),
    "explains itself with help": "@command('c')\ndef c(): ...\n",
    "says what it does": _COMMAND.format(mark="", args="", doc="pass"),
    "refuses options nobody reads": _COMMAND.format(mark="", args="", doc='"C."').replace(
        "click.command()", "click.command(context_settings={'ignore_unknown_options': True,"
        " 'allow_extra_args': True})"
    ),
}  # fmt: skip
# A store and a memory that can do nothing at all fail every check.
STORE = "@store('s')\nclass S:\n    def __init__(self, place): ...\n"
MEMORY = "@memory('m')\nclass M:\n    def __init__(self, place): ...\n    def close(self): ...\n"

TABLES = {
    "plugin": PLUGIN,
    "agent": AGENT,
    "tool": TOOL_FAULTS,
    "guard": GUARD,
    "criterion": CRITERION,
    "strategy": STRATEGY,
    "view": VIEW,
    "model": MODEL,
    "command": COMMAND,
}


def faults() -> Iterator[Fault]:
    """All of them; those without code are tested in another way."""
    for kind, table in TABLES.items():
        for check, code in table.items():
            if code:
                yield Fault(kind, check, HEAD + code)
