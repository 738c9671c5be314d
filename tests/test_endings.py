"""How a conversation ended, from what the sandbox's model did."""

import pytest

from skyl_nb.data import facts
from skyl_nb.endings import MOST_TELLING_FIRST, ending
from skyl_nb.sandbox.journal import Entry


def entry(*acts, rule=None):
    return Entry("openai", "POST", "/", {}, 200, {}, rule, acts)


def test_each_act_of_the_model_has_a_place_in_the_order_and_a_row():
    assert set(MOST_TELLING_FIRST) == set(facts("model_sheet.json")["acts"])
    assert {*MOST_TELLING_FIRST, "refused"} == set(facts("endings.json"))


@pytest.mark.parametrize(
    ("acts", "name"),
    [
        (("quotes", "gives-up"), "gives-up"),
        (("quotes", "makes-up"), "makes-up"),
        (("calls",), "calls"),
    ],
)
def test_of_several_acts_the_most_telling_names_the_ending(acts, name):
    assert ending(entry(*acts), failed=True).name == name


def test_a_quoted_text_is_right_only_when_the_tool_did_not_fail():
    assert ending(entry("quotes"), failed=True).verdict == "✗ believes it"
    assert ending(entry("quotes"), failed=False).verdict == "✓ answers"


def test_a_refusal_is_an_ending():
    assert ending(entry(rule="openai-orphan"), failed=True).verdict == "! refused"
