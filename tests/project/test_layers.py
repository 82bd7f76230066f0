"""The shape of the code: imports go down, files stay short, and no drawer is called utils."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPS = ("config", "traces", "attribution", "reviews")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules(*folders: str) -> list[Path]:
    """Our Python files; migrations are written by Django."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in modules(*APPS):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, FUNCTIONS):
                yield f"{name_of(path)}:{node.lineno} {node.name}", node


def test_imports_go_down() -> None:
    # In a process of its own: the linter sets up logging for itself, and silences ours.
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    done = subprocess.run(
        [sys.executable, "-c", lint, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("word", ["utils", "util", "helpers", "helper", "common", "misc", "tools"])
def test_no_module_is_a_drawer(word: str) -> None:
    assert [name_of(p) for p in modules(*APPS, "tests") if word in (p.stem, *p.parts)] == []


def test_modules_are_short() -> None:
    lines = {name_of(path): len(path.read_text().splitlines()) for path in modules(*APPS)}
    assert {name: count for name, count in lines.items() if count > 250} == {}


def test_templates_are_short() -> None:
    templates = [*(ROOT / "templates").rglob("*.html")]
    assert templates
    lines = {name_of(path): len(path.read_text().splitlines()) for path in templates}
    assert {name: count for name, count in lines.items() if count > 80} == {}


def test_functions_are_short() -> None:
    lines = {name: node.end_lineno - node.lineno + 1 for name, node in functions()}
    assert {name: count for name, count in lines.items() if count > 45} == {}


def test_nothing_is_imported_inside_a_function() -> None:
    inside = [
        name
        for name, node in functions()
        if any(isinstance(each, ast.Import | ast.ImportFrom) for each in ast.walk(node))
    ]
    assert inside == []


def test_flags_are_named_where_they_are_passed() -> None:
    """`run(True)` says nothing; a yes or no is an argument by name."""
    positional = [
        f"{name} {argument.arg}"
        for name, node in functions()
        for argument in (*node.args.posonlyargs, *node.args.args)
        if argument.annotation is not None and ast.unparse(argument.annotation) == "bool"
    ]
    assert positional == []
