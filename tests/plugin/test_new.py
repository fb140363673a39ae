"""`orka plugin new` writes packages that install, pass their own tests and the conformance kit;
and what is installed changes nothing for those who do not use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from installed import install

from orka.cli.main import call
from orka.cli.new_plugin import KINDS, written
from orka.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
REPLAYED = """
import sys
from pathlib import Path
from orka.testing.plugin_suite.probe import traces
from orka.testing.trace import read
from orka.event.codec import Chain, decode
from orka.event.event import FACTS
from orka.run.scheduler import Scheduler
from orka.value import digest
made = []
for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
    trace = read(path)
    scheduler, chain, blobs = Scheduler(trace.graph()), Chain(), {}
    for line in trace.lines:
        fact = decode(line, trace.blob)
        if isinstance(fact, FACTS) and scheduler.accepts(fact):
            made += chain.extend(scheduler.learn(fact), blobs)
    scheduler.close()
    assert made[-len(trace.lines):] == list(trace.lines), path
print(digest(b"".join(made)), traces())
"""


def python(*arguments: str, site: Path | None = None, folder: Path = ROOT) -> str:
    """What a fresh Python prints, with a folder of packages installed beside OrKa."""
    path = os.pathsep.join(map(str, [*([site] if site else []), ROOT]))
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a new module, and `site`, into which it is installed."""
    folder = tmp_path_factory.mktemp("new")
    assert call(["plugin", "new", "try_module", "--into", str(folder)]) == 0
    pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps"]
    source = str(folder / "orka-try-module")
    python(*pip, "--no-build-isolation", "--target", str(folder / "site"), source)
    return folder


def test_the_tests_of_a_new_module_pass(made: Path) -> None:
    folder = made / "orka-try-module"
    told = python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder),
        site=made / "site", folder=folder,
    )  # fmt: skip
    assert " passed" in told and "failed" not in told


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_of_each_kind_meets_the_checks(
    site: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = written(f"try_{kind}", (kind,))
    project = tomllib.loads(files["pyproject.toml"])["project"]
    points = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in those.items())
        for group, those in project["entry-points"].items()
    ]
    install(site, project["name"], files, "".join(points), project["version"])
    samples = ["--samples", str(site / "samples.yml")]
    code = call(["plugin", "check", f"try_{kind}", "--format", "json", *samples])
    found = json.loads(capsys.readouterr().out)
    wrong = [each for each in found["checks"] if each["outcome"] == "fail"]
    assert (code, wrong) == (0, [])
    assert [each for each in found["checks"] if each["kind"] == kind and each["outcome"] == "pass"]


def test_a_module_can_be_installed_for_work_on_it(made: Path, tmp_path: Path) -> None:
    target = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index"]
    prefix = ["--no-deps", "--no-build-isolation", "--prefix", str(tmp_path)]
    python(*target, *prefix, "-e", str(made / "orka-try-module"))
    (site,) = tmp_path.rglob("site-packages")
    path = "import site, sys; site.addsitedir(sys.argv[1]); from orka.cli.main import call; "
    run = f"{path}sys.exit(call(['plugins']))"
    assert "try_module" in python("-c", run, str(site))


def test_traces_are_byte_identical_with_and_without_plugins(made: Path) -> None:
    golden = str(ROOT / "tests" / "golden")
    without = python("-c", REPLAYED, golden)
    assert python("-c", REPLAYED, golden, site=made / "site") == without
    with_it = python("-m", "orka", "plugins", site=made / "site")
    assert "try_module_agent" in with_it
    assert "try_module_agent" not in python("-m", "orka", "plugins")


def test_nothing_is_written_over(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["plugin", "new", "try_module", "--into", str(made)]) == 2
    assert "exists" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Bad", "a-b", "", "9a", "../up"])
def test_a_name_that_no_module_can_have_is_refused(name: str) -> None:
    with pytest.raises(InputError) as raised:
        written(name, ("agent",))
    assert raised.value.code == "input.plugin_name"
