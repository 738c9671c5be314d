"""Each exercise: its starter, its solution, the wrong answers that people give, its hints."""

import ast
import json
import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import skyl_nb as skyl
from skyl_nb import data
from tests.exercises.good_answers import GOOD

NAMES = skyl.exercises()
WRONG = [(name, wrong) for name in NAMES for wrong in skyl.exercise(name).wrong_answers]


def texts(name):
    return data.facts(f"exercises/{name}.json")


@pytest.fixture(params=NAMES)
def one(request):
    return skyl.exercise(request.param)


def test_the_eight_exercises_are_there():
    assert set(NAMES) == {
        "predict-the-wire", "never-empty", "order-the-turns", "answer-every-call",
        "pair-by-position", "which-errors-to-hide", "portable-error", "stop-the-retry-loop",
    }  # fmt: skip
    stored = {path.stem for path in (data.folder("sandbox_data") / "exercises").iterdir()}
    assert stored == set(NAMES)


def test_the_starter_is_not_attempted(one):
    assert one.check(one.starter).outcome == "not-attempted"
    assert one.check().outcome == one.check(...).outcome == "not-attempted"


def test_a_function_that_returns_one_text_is_no_starter():
    never_empty = skyl.exercise("never-empty")
    assert never_empty.check(lambda _: "ERROR: the tool failed.").outcome == "right"
    assert never_empty.check(lambda _: "").outcome == "wrong"
    assert skyl.exercise("portable-error").check(lambda _name, _error: "503").outcome == "wrong"


def test_a_turn_beside_the_results_is_not_taken_for_results_in_a_message_each():
    def answer(calls, run):
        assistant = skyl.Message(role="assistant", parts=tuple(calls))
        results = [skyl.ToolResult(call_id=one.id, content="ERROR: x") for one in calls]
        return [assistant, skyl.Message(role="tool", parts=tuple(results))]

    verdict = skyl.exercise("answer-every-call").check(answer)
    assert verdict.outcome == "wrong"
    assert "Each result is in a message of its own" not in verdict.diagnosis


def test_a_starter_that_is_code_is_not_attempted_as_a_function_either(one):
    if one.function:
        names = {}
        exec(one.starter, names)
        assert one.check(names[one.function]).outcome == "not-attempted"
        commented = one.starter.replace("...", "...  # to be done")
        assert one.check(commented).outcome == "not-attempted"


def test_the_solution_is_right_on_four_wires(one):
    verdict = one.check(one.solution())
    assert verdict.outcome == "right", verdict
    assert list(verdict.wires) == list(skyl.WIRES)
    assert all(verdict.wires.values())


def test_a_solution_that_is_code_is_right_as_a_function_too(one):
    if one.function:
        names = {}
        exec(one.solution(), names)
        assert one.check(names[one.function]).outcome == "right"


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_wrong_answer_is_wrong_and_told_why(name, wrong):
    one = skyl.exercise(name)
    verdict = one.check(one.wrong_answers[wrong])
    assert verdict.outcome == "wrong", verdict
    assert len(verdict.diagnosis) > 40
    assert not verdict.wires or not all(verdict.wires.values())


def test_each_wrong_answer_has_a_diagnosis_of_its_own(one):
    diagnoses = [one.check(answer).diagnosis for answer in one.wrong_answers.values()]
    assert len(set(diagnoses)) == len(diagnoses) >= 4


def test_a_diagnosis_names_the_wires_it_was_seen_on(one):
    for answer in one.wrong_answers.values():
        verdict = one.check(answer)
        for wire, seen in verdict.wires.items():
            if not seen:
                assert skyl.WIRES[wire].title in verdict.diagnosis


def test_no_hint_holds_the_solution(one):
    solution = one.solution()
    lines = [line.strip() for line in str(solution).splitlines()]
    telling = [line for line in lines if len(line) > 25 and not line.startswith(("import", '"""'))]
    signature = one.starter.splitlines()[0] if one.function else None
    for hint in one.hints:
        assert str(solution) not in hint
        for line in telling:
            assert line == signature or line not in hint


def test_hints_are_counted_from_one(one):
    assert len(one.hints) >= 3
    assert [one.hint(n) for n in range(1, len(one.hints) + 1)] == list(one.hints)


@pytest.mark.parametrize("number", [0, -1, 99, "1", None, 1.0, True])
def test_a_hint_that_is_not_there_is_a_sentence(one, number):
    count = len(one.hints)
    assert one.hint(number) == f"There are {count} hints: hint(1) to hint({count})."


def test_what_an_exercise_gives_away_can_be_changed_without_harm(one):
    for value in (one.starter, one.solution()):
        if isinstance(value, dict | list):
            value.clear()
    assert one.check(one.solution()).outcome == "right"


def test_an_unknown_exercise_is_one_sentence():
    with pytest.raises(skyl.BadRequestError, match='did you mean "never-empty"'):
        skyl.exercise("never-emty")
    with pytest.raises(skyl.BadRequestError, match=r"no exercise .x.\. The exercises: predict-the"):
        skyl.exercise("x")
    for name in (7, None, Raises(), Leaves()):
        with pytest.raises(skyl.BadRequestError, match="named by a text"):
            skyl.exercise(name)


# Hostile answers


class Raises:
    """Raises at whatever is done with it."""

    def _refuse(self, *_):
        raise RuntimeError("no")

    __eq__ = __str__ = __repr__ = __call__ = __iter__ = __len__ = __getattr__ = _refuse
    __hash__ = None


class Leaves(Raises):
    def _refuse(self, *_):
        raise SystemExit(3)

    __eq__ = __str__ = __repr__ = __call__ = __iter__ = __len__ = _refuse


def deep(depth=3000):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def endless(*_):
    while True:
        pass


def endless_and_stubborn(*_):
    while True:
        with suppress(BaseException):
            while True:
                pass


def recursive(*arguments):
    return recursive(*arguments)


async def later(*_):
    return "ERROR"


def yielding(*_):
    yield "ERROR"


HOSTILE = [
    0, 1.5, True, b"x", "", "\ud800", "x" * 1_000_000, [], {}, (), set(), object(), int, print,
    [None], {"anthropic": None}, {"a": deep()}, deep(), Raises(), Leaves(), [Raises()],
    dict.fromkeys(skyl.WIRES, Raises()), {wire: ["x", "y"] for wire in skyl.WIRES},
    {wire: [[], {}] for wire in skyl.WIRES}, {"NoSuchCity": []},
    lambda: None, lambda *_: Raises(), lambda *_: deep(), lambda *_: "\ud800", lambda *_: 7,
    endless, endless_and_stubborn, recursive, later, yielding,
    "def failure_text(error) return", "while True: pass", "raise SystemExit", "x" * 100 + "(" * 300,
    lambda *_: [skyl.user_text("x")], lambda *_: skyl.user_text("x"), lambda *_: [],
    lambda *_: skyl.Message(role="tool", parts=[skyl.ToolResult(call_id="", content="x")]),
    lambda *_: skyl.tool_result_message("no-such-call", "x"),
    lambda *_: [skyl.ToolResult(call_id="no-such-call", content="x")] * 3,
    lambda *_: [skyl.ToolResult(call_id="", content="x")] * 3,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_answer_is_never_right_and_never_raises(one, number):
    verdict = one.check(HOSTILE[number])
    assert verdict.outcome in ("wrong", "error-in-your-code", "not-attempted")
    for shown in (verdict.to_html(), verdict.to_markdown(), verdict.to_text()):
        assert shown.encode()
        assert len(shown) < 20_000


def test_pressing_stop_stops_the_check(one):
    def pressed(*_):
        raise KeyboardInterrupt

    if one.function:
        with pytest.raises(KeyboardInterrupt):
            one.check(pressed)


# A learner's code


NEVER_EMPTY = skyl.exercise("never-empty")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def failure_text(error)\n    return 1", "SyntaxError"),
        ("def failure_text(error):\n    x = 1\n    return x / 0", "ZeroDivisionError"),
        ("def failure_text(error):\n    x = 1\n    return x / 0", "in line 3"),
        ("def other(error):\n    return 'x'", "defines no function called failure_text"),
        ("def failure_text(error):\n    return {}['x']", "KeyError: 'x' in line 2"),
        ("{}['x']", "KeyError: 'x' in line 1"),
        ("def failure_text():\n    return 'x'", "cannot be called with 1 arguments"),
        ("def failure_text(error):\n    while True: pass", "stopped after 200,000 steps"),
        ("def failure_text(error):\n    return failure_text(error)", "calls itself without an end"),
        ("def failure_text(error):\n    raise SystemExit(1)", "SystemExit: 1 in line 2"),
    ],
)
def test_code_that_stops_is_told_where_and_why(source, words):
    verdict = NEVER_EMPTY.check(source)
    assert verdict.outcome == "error-in-your-code"
    assert words in verdict.diagnosis


def test_a_function_with_yield_is_told_to_return():
    assert "Write return instead" in NEVER_EMPTY.check(yielding).diagnosis


@pytest.mark.parametrize(
    ("work", "outcome"),
    [
        ("import openai", "right"),
        ("__import__('textwrap').fill('word ' * 50_000)", "right"),
        ("sum(int(x) for x in __import__('random').choices('123', k=9))", "right"),
        ("while True: log.warning('again')", "stopped"),
        ("while True: print('again', file=sys.stderr)", "stopped"),
        ("while True: sorted([2, 1], key=own)", "stopped"),
    ],
)
def test_what_a_library_does_counts_for_nothing_and_is_never_stopped_halfway(work, outcome):
    """A stopped function must leave no lock behind: what follows uses them all."""
    code = f"""
import logging, sys
import skyl_nb as skyl
logging.basicConfig(format="$message " * 50, style="$")  # most of its time it holds its lock
log = logging.getLogger()
def own(value):
    return value
def failure_text(error):
    {work}
    return f"ERROR: {{error!r}}"
verdict = skyl.exercise("never-empty").check(failure_text)
assert {outcome!r} == verdict.outcome or {outcome!r} in verdict.diagnosis.split()
import openai.types
log.warning("still here")
print("still here", file=sys.stderr)
assert skyl.exercise("never-empty").check("def failure_text(e): return f'ERROR {{e!r}}'")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100, stderr=subprocess.PIPE)


def test_an_async_function_is_told_to_be_an_ordinary_one():
    assert "without async" in NEVER_EMPTY.check(later).diagnosis


def test_a_called_function_is_told_to_be_handed_over_itself():
    verdict = NEVER_EMPTY.check(7)
    assert "check(failure_text), without brackets" in verdict.diagnosis


def test_a_text_in_another_language_is_told_that_the_model_reads_english():
    text = "FEHLER: get_weather ist ausgefallen. Bitte nicht noch einmal aufrufen."
    verdict = skyl.exercise("stop-the-retry-loop").check(text)
    assert verdict.outcome == "wrong"
    assert "reads English only" in verdict.diagnosis


@pytest.mark.parametrize(("name", "answer"), [(n, one) for n in GOOD for one in GOOD[n]])
def test_other_good_answers_are_right_too(name, answer):
    verdict = skyl.exercise(name).check(answer)
    assert verdict.outcome == "right", verdict


def test_an_answer_that_fits_one_order_by_accident_is_wrong():
    def pair(calls, finished):
        texts = [finished[1][1], finished[2][1], finished[0][1]]
        return [
            skyl.ToolResult(call_id=call.id, content=text)
            for call, text in zip(calls, texts, strict=True)
        ]

    assert skyl.exercise("pair-by-position").check(pair).outcome == "wrong"


def told(calls, run):
    """Run the calls, and return the text of each and whether it failed."""
    said = []
    for call in calls:
        try:
            said.append((run(call), False))
        except ConnectionError as error:
            said.append((f"ERROR: {error}", True))
    return said


def one_message(calls, said):
    results = [
        skyl.ToolResult(call_id=call.id, content=text, is_error=failed)
        for call, (text, failed) in zip(calls, said, strict=True)
    ]
    return skyl.Message(role="tool", parts=results)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda said: said[1:] + said[:1], "mixed"),
        (lambda said: said[::-1], "mixed"),
        (lambda said: [("; ".join(text for text, _ in said), False)] * 3, "mixed"),
        (lambda said: [(text, True) for text, _ in said], "flagged"),
        (lambda said: [(text, not failed) for text, failed in said], "flagged"),
        (lambda said: [(f"error? no: {text}", False) for text, _ in said], "flagged"),
        (lambda said: [("see the log", failed) for _, failed in said], "lost"),
        (
            lambda said: [(text.removeprefix("ERROR: "), failed) for text, failed in said],
            "believed",
        ),
        (lambda said: [(text * (not failed) or " ", False) for text, failed in said], "invented"),
    ],
)
def test_each_result_must_say_to_the_model_what_became_of_its_call(change, fault):
    def answer(calls, run):
        return one_message(calls, change(told(calls, run)))

    verdict = skyl.exercise("answer-every-call").check(answer)
    assert verdict.outcome == "wrong"
    diagnosis = texts("answer-every-call")["diagnoses"][fault]
    assert max(diagnosis.split("{wires}"), key=len) in verdict.diagnosis


@pytest.mark.parametrize("turn", [skyl.user_text("It failed."), skyl.assistant_text("I see.")])
def test_a_turn_after_the_results_is_wrong(turn):
    def answer(calls, run):
        return [one_message(calls, told(calls, run)), turn]

    verdict = skyl.exercise("answer-every-call").check(answer)
    assert verdict.outcome == "wrong"
    assert "Return the results alone" in verdict.diagnosis


@pytest.mark.parametrize(
    ("content", "flag", "fault"),
    [
        (str, lambda _: True, "flagged"),
        (str, lambda text: "ERROR" not in text, "flagged"),
        (lambda _: "", lambda _: False, "lost"),
        (lambda _: "done", lambda _: False, "lost"),
        (lambda text: f"> {text}", lambda _: False, "believed"),
    ],
)
def test_a_pair_must_say_to_the_model_what_its_tool_said(content, flag, fault):
    def pair(calls, finished):
        said = dict(finished)
        return [
            skyl.ToolResult(call_id=call.id, content=content(said[n]), is_error=flag(said[n]))
            for n, call in enumerate(calls)
        ]

    verdict = skyl.exercise("pair-by-position").check(pair)
    assert verdict.outcome == "wrong"
    diagnosis = texts("pair-by-position")["diagnoses"][fault]
    assert max(diagnosis.split("{wires}"), key=len) in verdict.diagnosis
    assert "dict with ids" not in verdict.diagnosis


ORDER = st.lists(st.sampled_from(["question", "call", "result", "answer", "next question"]))


@given(ORDER)
@example([])
def test_any_order_of_turns_gets_a_verdict(order):
    verdict = skyl.exercise("order-the-turns").check(tuple(order))
    assert verdict.outcome in ("right", "wrong")
    assert "could not read" not in verdict.diagnosis


def test_another_tool_of_a_longer_name_does_not_name_the_tool():
    text = "ERROR: get_weather_v2 is down. Do not retry; tell the user."
    verdict = skyl.exercise("stop-the-retry-loop").check(text)
    assert (verdict.outcome, "get_weather" in verdict.diagnosis) == ("wrong", True)


def test_the_outcomes_of_the_wires_are_those_of_the_wires():
    verdict = skyl.exercise("stop-the-retry-loop").check("503")
    assert [bool(seen) for seen in verdict.wires.values()] == [False] * 4
    assert "calls again" in verdict.wires["openai"].text
    assert "believes it" in verdict.wires["gemini"].text


def test_a_result_for_another_call_is_refused_in_the_providers_words():
    def pair(calls, finished):
        return [skyl.ToolResult(call_id="call_other", content=text) for _, text in finished]

    verdict = skyl.exercise("pair-by-position").check(pair)
    assert "tool_call_id" in verdict.wires["openai"].text


# How it looks


@pytest.mark.parametrize("way", ["to_html", "to_markdown", "to_text"])
def test_an_exercise_shows_its_question_and_starter_and_nothing_of_the_solution(one, way):
    shown = getattr(one, way)()
    assert one.title in shown
    assert one.name in shown
    for hint in one.hints:
        assert hint not in shown
    if one.function:
        assert ast.parse(one.starter)
        assert one.starter.splitlines()[0] in shown


def test_a_verdict_holds_the_same_facts_each_way(one):
    for answer in one.wrong_answers.values():
        verdict = one.check(answer)
        shown = verdict.to_text()
        assert verdict.diagnosis in shown
        assert all(seen.text in shown for seen in verdict.wires.values())
        assert verdict.to_html().count("<li>") == len(verdict.wires)
        assert verdict.to_markdown().count("\n- ") == len(verdict.wires)


def test_a_hostile_text_is_shown_as_text():
    text = "</li><script>alert(1)</script>\u202e get_weather"
    verdict = skyl.exercise("stop-the-retry-loop").check(text)
    assert "<script>" not in verdict.to_html()
    assert "\u202e" not in verdict.to_text()


def test_the_live_view_reveals_hints_one_by_one_and_the_solution_when_asked(one):
    question, buttons, revealed = one.widget.children
    more, solution = buttons.children
    assert one.title in question.value
    for count in range(1, len(one.hints) + 1):
        more.click()
        assert revealed.value.count("<strong>Hint") == count
    assert more.disabled
    solution.click()
    assert "A solution:" in revealed.value
    assert solution.disabled


def test_a_notebook_stores_text_beside_the_widget(one):
    bundle = one._repr_mimebundle_()
    assert bundle["text/plain"] == one.to_text()
    assert one.title in bundle["text/html"]
    assert set(one.check(one.starter)._repr_mimebundle_()) == {"text/html", "text/plain"}


def test_the_same_answer_gets_the_same_bytes(one):
    for answer in one.wrong_answers.values():
        shown = {json.dumps(one.check(answer)._repr_mimebundle_()) for _ in range(2)}
        assert len(shown) == 1
