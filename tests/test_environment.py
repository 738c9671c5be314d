"""The check of the environment: fine here, and clear where something is missing."""

import sys
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from skyl_nb import environment
from skyl_nb.environment import check_environment


def failing(shown):
    return [check for check in shown.checks if not check.fine]


def test_here_all_is_ready():
    shown = check_environment()
    assert shown.fine, shown
    assert "All is ready" in shown.summary
    assert len(shown.checks) == 7


@pytest.mark.parametrize("name", ["no-such-package-at-all", "pydantic>=999"])
def test_a_package_that_is_missing_or_too_old_is_named(name, monkeypatch):
    monkeypatch.setattr(environment, "_needs", lambda: [Requirement(name), Requirement("httpx")])
    (check,) = failing(check_environment())
    assert check.mend.endswith(f"not there: {name}")


def test_an_old_python_is_said(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    (check,) = failing(check_environment())
    assert check.what == "Python is 3.11 or newer"


def test_a_package_that_is_not_installed_is_the_only_verdict(monkeypatch):
    def missing(_name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(environment, "metadata", missing)
    (check,) = check_environment().checks
    assert not check.fine
    assert "pip install" in check.mend


def test_a_sandbox_that_is_broken_is_said(monkeypatch):
    def broken(_wire):
        raise FileNotFoundError("the folder sandbox_data is missing")

    monkeypatch.setattr(environment, "sandbox_client", broken)
    shown = check_environment()
    assert len(failing(shown)) == 4
    assert "sandbox_data is missing" in shown.to_text()


def test_each_rendering_holds_each_check():
    shown = check_environment()
    for way in (shown.to_html(), shown.to_markdown(), shown.to_text()):
        for check in shown.checks:
            assert check.what.replace(">", "") in way.replace("\\", "").replace("&gt;", "")
        assert shown.summary in way
