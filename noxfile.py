"""Sessions for every supported Python: `nox`, or one of them with `nox -s lint`."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["lint", "types", "tests", "docs"]

_LOCK = "requirements/dev.lock"
_SOURCES = ("src", "tests", "testbed", "benchmarks", "tools", "noxfile.py")
_TEXTS = ("docs", "changes", "README.md", "Makefile")


def _install(session: nox.Session) -> None:
    session.install("--require-hashes", "-r", _LOCK)
    session.install("--no-deps", "--editable", ".")


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Style, import layers, a test file for each module, spelling: with `types` what `make lint` runs."""
    _install(session)
    session.run("ruff", "check", *_SOURCES)
    session.run("ruff", "format", "--check", *_SOURCES)
    session.run("lint-imports")
    session.run("python", "tools/check_imports.py")
    session.run("python", "tools/check_tests.py")
    session.run("python", "tools/check_cli.py")
    session.run("codespell", "--ignore-words-list", "thirdparty", *_SOURCES, *_TEXTS)


@nox.session(python="3.11")
def types(session: nox.Session) -> None:
    """Types, in strict mode."""
    _install(session)
    session.run("mypy", "--strict")


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Every test; arguments after `--` go to pytest."""
    _install(session)
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python="3.11")
def docs(session: nox.Session) -> None:
    """The documentation; a warning is an error."""
    _install(session)
    session.run("mkdocs", "build", "--strict")
