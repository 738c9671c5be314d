"""What a learner has solved: kept in a plain file, never needed, never in the way."""

import json
from pathlib import Path

import pytest

import skyl_nb as skyl
from skyl_nb.exercises import progress


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv(progress.SETTING, str(path))
    return path


def solve(name):
    one = skyl.exercise(name)
    assert one.check(one.solution()).outcome == "right"


def test_a_solved_exercise_is_noted(file):
    assert progress.solved() == frozenset()
    solve("order-the-turns")
    solve("never-empty")
    assert json.loads(file.read_text()) == {
        "version": 1, "solved": ["never-empty", "order-the-turns"],
    }  # fmt: skip
    assert progress.solved() == {"never-empty", "order-the-turns"}


def test_a_wrong_answer_is_not_noted(file):
    one = skyl.exercise("never-empty")
    for answer in (one.starter, *one.wrong_answers.values()):
        one.check(answer)
    assert not file.exists()


def test_nothing_else_lies_beside_the_file(file):
    solve("never-empty")
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"solved": 7}', '{"solved": [7, "x"]}'])
def test_a_file_that_is_no_such_file_is_as_good_as_none(file, text):
    file.parent.mkdir()
    file.write_text(text)
    assert progress.solved() <= {"x"}
    solve("never-empty")
    assert "never-empty" in progress.solved()


def test_a_place_that_cannot_be_written_does_not_fail_a_check(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(progress.SETTING, str(tmp_path / "file" / "progress.json"))
    solve("never-empty")
    assert progress.solved() == frozenset()


def test_it_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(progress.SETTING, "Off")
    solve("never-empty")
    assert list(tmp_path.iterdir()) == []


def test_it_lies_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv(progress.SETTING)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    solve("never-empty")
    assert (tmp_path / progress.FILE).exists()
    progress.forget()
    assert progress.solved() == frozenset()
    progress.forget()


def test_without_a_home_folder_nothing_is_kept(monkeypatch):
    def homeless():
        raise RuntimeError

    monkeypatch.delenv(progress.SETTING)
    monkeypatch.setattr(Path, "home", homeless)
    solve("never-empty")
    assert progress.solved() == frozenset()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero here")
def test_what_is_no_plain_file_is_neither_read_nor_replaced(monkeypatch):
    monkeypatch.setenv(progress.SETTING, "/dev/zero")
    solve("never-empty")
    progress.forget()
    assert progress.solved() == frozenset()
    assert Path("/dev/zero").is_char_device()
