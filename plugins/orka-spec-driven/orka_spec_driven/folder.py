"""The one folder that the tools of this module write to."""

from __future__ import annotations

from pathlib import Path

from orka.errors import ToolError

# Seen from the working folder; the manifest names it.
HOME = "spec_driven"


def place(kind: str, name: str) -> Path:
    """Where `name` lies in the folder for this kind of file; its folders are made. Raises
    `ToolError` (`workspace.outside`) for what would lie elsewhere, through a link too."""
    base = Path(HOME, kind)
    found = base / name
    inside = Path(HOME).absolute() / kind
    real = found.resolve()
    if not name or real != inside.resolve() / name or Path(name).is_absolute() or _linked(found):
        raise ToolError(
            f"{name!r} does not lie in {base.as_posix()!r}",
            fix="give a path inside of it: no '..', no absolute path, no link",
            code="workspace.outside",
            retryable=False,
        )
    real.parent.mkdir(parents=True, exist_ok=True)
    return real


def _linked(path: Path) -> bool:
    return any(each.is_symlink() for each in (path, *path.parents))
