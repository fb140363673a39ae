"""SHA-256 of large files, computed once and remembered while size and time stay the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from orka.kit.models.local.catalogue import cache

CHUNK = 1 << 22


class Stamp(msgspec.Struct, frozen=True):
    """What the file at `path` was when it was last read from end to end."""

    path: str
    size: int
    mtime_ns: int
    sha256: str


def hash_file(path: Path) -> str:
    """Hex SHA-256 of the bytes on disk."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _place(path: Path) -> Path:
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return cache() / "models" / "stamps" / f"{name}.json"


def remember(path: Path, sha256: str) -> str:
    """Keep `sha256` as the digest of the file at `path`, as it is now."""
    status, place = path.stat(), _place(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    stamp = Stamp(str(path), status.st_size, status.st_mtime_ns, sha256)
    unfinished = place.with_suffix(f".{sha256[:8]}.new")
    unfinished.write_bytes(msgspec.json.encode(stamp))
    unfinished.replace(place)
    return sha256


def digest_of(path: Path) -> str:
    """Hex SHA-256 of the file; reads the file only if it is not the one that was stamped."""
    status = path.stat()
    try:
        stamp = msgspec.json.decode(_place(path).read_bytes(), type=Stamp)
    except (FileNotFoundError, msgspec.DecodeError):
        return remember(path, hash_file(path))
    same = (stamp.path, stamp.size, stamp.mtime_ns) == (
        str(path),
        status.st_size,
        status.st_mtime_ns,
    )
    return stamp.sha256 if same else remember(path, hash_file(path))


def forget(path: Path) -> None:
    """Drop the stamp of a file that is gone."""
    _place(path).unlink(missing_ok=True)
