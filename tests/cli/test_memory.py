"""`orka memory` after runs of `orka run`."""

from __future__ import annotations

from cli.conftest import Orka, Write


def test_what_a_run_kept_can_be_counted_searched_and_cleaned(orka: Orka, write: Write) -> None:
    assert orka("memory", "stats", "--format", "json").json["total"] == 0
    assert "nothing found" in orka("memory", "search", "tea").err
    node = "id: m, type: memory, operation: write, namespace: notes"
    write("keep", f"{{{node}, key_template: k}}")
    write("brief", f"{{{node}, config: {{ttl: 0.001}}}}")
    assert orka("run", "keep.yml", "green tea").code == 0
    assert orka("run", "brief.yml", "soon gone").code == 0
    assert orka("memory", "cleanup", "--format", "json").json == {"removed": 1}
    stats = orka("memory", "stats", "--format", "json").json
    assert stats["by_namespace"] == {"notes": 1}
    assert "long_term" in orka("memory", "stats").out
    (found,) = orka("memory", "search", "TEA", "--namespace", "notes", "--format", "json").json
    assert found["entry"]["content"] == "green tea"
    assert "green tea" in orka("memory", "search", "--namespace", "notes").out
    assert orka("memory", "search", "tea", "--namespace", "notes", "--user", "u").out == ""
    assert "0 taken out" in orka("memory", "cleanup").out
