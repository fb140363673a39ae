"""How 0.9 named a model, where it is, and the form of its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from urllib.parse import urlsplit

from orka.spec.orka09.book import Keys
from orka.value import Json

# The model that the environment names (ORKA_OPENAI_MODEL or BASE_OPENAI_MODEL).
DEFAULT = "openai/default"
# The variable for the key of a server that asks for one; 0.9 could give none.
LOCAL_KEY = "LOCAL_LLM_API_KEY"
_LOCAL = ("lm_studio", "lmstudio", "openai_compatible", "openai-compatible", "openai")
_OLLAMA = "ollama"
_CHAT = re.compile(r"/(chat/)?completions/?$")
_GENERATE = re.compile(r"/api(/(generate|chat))?/?$")
_ANTHROPIC = "https://api.anthropic.com/v1"

# How an answer's form is asked for. Servers on this machine know tools and JSON modes or do not:
# `auto` says it both ways.
_MODES = {"auto": "auto", "model_json": "json", "tool_call": "tool", "prompt": "prompt"}
_LOCAL_MODES = {"auto": "auto", "model_json": "auto", "tool_call": "auto", "prompt": "prompt"}
_MODE_KEYS = ("enabled", "mode", "schema", "require_code_block", "coerce_types", "strict")
_TYPES = {"str": "string", "num": "number", "float": "number", "int": "integer"}
_TYPES |= {"bool": "boolean", "list": "array", "dict": "object"}
# A field of which the author says no type: 0.9 told the model none, and passed on what it gave.
_UNTYPED: Json = {"type": ["string", "boolean", "number", "array", "object"]}
_JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_ANSWER = {
    "required": ["response"],
    "optional": {"confidence": "number", "internal_reasoning": "string"},
}


def base_url(written: str, provider: str = "") -> str:
    """The address of the OpenAI door of the server that `written` is on."""
    if "://" not in written:
        written = f"http://{written}"
    url = _CHAT.sub("", written.strip().rstrip("/"))
    if provider == _OLLAMA:
        url = _GENERATE.sub("", url)
    try:
        bare = not urlsplit(url).path.strip("/")
    except ValueError:
        bare = False
    return f"{url}/v1" if bare else url


def local(keys: Keys, *, unset: str = "") -> dict[str, Json]:
    """`model` and `base_url` of an agent that named a provider and a server. Each one missing is a
    problem, but for the model if `unset` stands for it."""
    place = keys.place
    named = ("llm_provider", "provider"), ("llm_url", "model_url", "url", "base_url")
    for names in named:
        if not any(name in keys for name in names):
            key = names[1] if "model_url" in names else "provider"
            what = f"agent {place.agent!r} has no {key!r}: it says no server to ask"
            fix = f"add '{key}:'; OrKa 0.9 gave an error text as the answer"
            place.problem("config.missing_key", what, fix)
    place.moved("base_url", *keys.where(*named[1]))
    place.moved("model", *keys.where("llm_model", "model"))
    where = keys.where("llm_provider", "provider")
    provider, url = keys.take(*named[0]), keys.take(*named[1])
    model = keys.take("llm_model", "model")
    if isinstance(provider, str) and provider.lower() not in (*_LOCAL, _OLLAMA):
        what = f"agent {place.agent!r} has the unknown provider {provider!r}"
        fix = f"known: {', '.join((*_LOCAL[:3], _OLLAMA))}"
        place.problem("config.type", what, fix, *where)
    if model is None and unset:
        place.note(f"asks the model {unset!r}, as no other is named", "the same")
        model = unset
    found: dict[str, Json] = {} if model is None else {"model": _model(model)}
    found["api_key_env"] = LOCAL_KEY
    if isinstance(url, str):
        found["base_url"] = base_url(url, str(provider).lower())
    if str(provider).lower() == _OLLAMA:
        does = f"Ollama is asked at {found.get('base_url')}, its OpenAI-compatible door"
        place.note(does, "it was asked at /api/generate", *where)
    return found


def hosted(kind: str, keys: Keys) -> dict[str, Json]:
    """`model`, and `base_url` if one is named, of the types that asked OpenAI or Anthropic."""
    place, where = keys.place, keys.where("llm_model", "model")
    place.moved("model", *where)
    if written := keys.where("llm_provider", "provider"):
        place.warn("the provider has no effect: the address says whom to ask", "the same", *written)
    model, provider = keys.take("llm_model", "model"), keys.take("llm_provider", "provider")
    url = keys.take("llm_url", "model_url", "url", "base_url")
    found: dict[str, Json] = {}
    if isinstance(url, str):
        found["base_url"] = base_url(url, str(provider).lower())
    if kind == "anthropic":
        found = {"base_url": _ANTHROPIC, "api_key_env": "ANTHROPIC_API_KEY"} | found
    if model is None and kind.startswith("openai-gpt"):
        model = kind.removeprefix("openai-")
    if model is not None:
        does = f"asks the model {model!r}"
        did = "always asked the model of BASE_OPENAI_MODEL, and put all outputs into the question"
        if kind == "anthropic" or kind.startswith("openai-gpt"):
            did = f"had no type {kind!r}"
        place.note(does, did, *where)
        return {"model": _model(model), **found}
    does = "asks the model that ORKA_OPENAI_MODEL or BASE_OPENAI_MODEL names"
    place.note(does, "the same, with all outputs put into the question")
    return {"model": DEFAULT, **found}


def _model(name: Json) -> Json:
    return f"openai/{name}" if isinstance(name, str) else name


def form(keys: Keys, defaults: Mapping[str, Json], *, here: bool) -> dict[str, Json]:
    """What `structured_output` asks of an answer; `parse: auto` if it asks nothing. `here`: the
    model is on a server of the author's own."""
    place, where = keys.place, keys.where("structured_output")
    written = keys.take("structured_output")
    if "output" in keys or "output_schema" in keys or "choices" in keys:
        return {}
    said = {**defaults, **written} if isinstance(written, dict) else dict(defaults)
    if not _true(said.get("enabled", False)):
        return {} if "parse" in keys else {"parse": "auto"}
    if isinstance(written, dict):
        place.leftover([(k, (*where, k)) for k in written if k not in _MODE_KEYS], _MODE_KEYS, ())
    place.moved("output", *where)
    schema = said.get("schema")
    output: Json = schema if isinstance(schema, dict) and schema else _ANSWER
    output = _output(output, strict=_true(said.get("strict", False)))
    mode = (_LOCAL_MODES if here else _MODES).get(str(said.get("mode", "auto")))
    if mode is None:
        fix = f"known: {', '.join(_MODES)}"
        what = f"there is no mode {said.get('mode')!r} of `structured_output`"
        place.problem("config.type", what, fix, *where, "mode")
    does = "an answer that breaks its schema is asked for again, twice; then the agent fails"
    place.note(does, "passed on whatever came, or an error map as a success", *where)
    asked: dict[str, Json] = {
        "output": output,
        "structured": mode or "auto",
        "coerce": _true(said.get("coerce_types", True)),
        "on_violation": "retry",
    }
    return {**asked, "text_field": "response"} if _speaks(output) else asked


def _speaks(output: Json) -> bool:
    """Whether an answer needs nothing but a text called `response`."""
    types, properties = output.get("types", {}), output.get("properties", {})
    kind = types.get("response") or properties.get("response", {}).get("type", "string")
    return bool(output.get("required") == ["response"] and kind == "string")


def _output(schema: dict[str, Json], *, strict: bool) -> Json:
    """The short form with today's names of types; closed if it is `strict`. A JSON Schema stays."""
    if "properties" in schema or "$ref" in schema or "anyOf" in schema:
        return schema if "type" in schema else {"type": "object", **schema}
    required = schema.get("required") or []
    names = [name for name in required if isinstance(name, str)] if _list(required) else []
    optional, types = _types(schema.get("optional")), _types(schema.get("types"))
    if not strict:
        parts: dict[str, Json] = {"required": names, "optional": optional}
        free = [name for name in names if name not in (*types, *optional, "response")]
        kinds: dict[str, Json] = {**types, **dict.fromkeys(free, _UNTYPED)}
        return {**parts, "types": kinds} if kinds else parts
    given = {name: types.get(name, "string") for name in names} | optional
    properties = {name: {"type": kind} for name, kind in given.items()}
    closed: dict[str, Json] = {"additionalProperties": False}
    return {"type": "object", "required": names, "properties": properties, **closed}


def _types(written: Json) -> dict[str, str]:
    """Field to type. A list of fields means text; so does a type nobody knows."""
    if _list(written):
        return {name: "string" for name in written if isinstance(name, str)}
    if not isinstance(written, dict):
        return {}
    kinds = {
        name: _TYPES.get(str(kind).lower(), str(kind).lower()) for name, kind in written.items()
    }
    return {name: kind if kind in _JSON_TYPES else "string" for name, kind in kinds.items()}


def _list(value: Json) -> bool:
    return isinstance(value, list)


def _true(value: Json) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in ("true", "yes", "on"))


def single_braces(written: str) -> str:
    """A format string of Python as the text it stands for; any other text as it is."""
    try:
        pieces = list(Formatter().parse(written))
    except ValueError:
        return written
    if any(name not in (None, "content") for _, name, _, _ in pieces):
        return written
    return "".join(f"{text}{{content}}" if name else text for text, name, _, _ in pieces)
