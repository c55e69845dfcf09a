"""A judged response and its problem become a few sentences for a person."""

from __future__ import annotations

from collections.abc import Sequence

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.diagnosis import AskKind, Diagnosis
from treecut_tasks.evaluation.judging import Ending, JudgedResponse
from treecut_tasks.problems import UNKNOWN
from treecut_tasks.reading import ReadProblem, Undetermined, read_problem, solve
from treecut_tasks.themes import Theme, load_theme

_VERDICTS: dict[Ending, str] = {
    "right": "Right: it answers {value}",
    "wrong_number": "Wrong number: it answers {value} where {answer} is right",
    "false_unknown": "False unknown: it says that the price cannot be determined, which is {answer}",
    "hallucination": "Hallucination: it answers {value}",
    "unknown": "Right: it says that the price cannot be determined",
    "no_answer": "No answer: it commits neither to a number nor to unknown ({reason})",
}


def describe_response(
    judged: JudgedResponse,
    problem: str | None = None,
    lacks: str | None = None,
    theme: str | None = None,
) -> str:
    """The verdict with its quote, why the problem is unanswerable, and the likely false step.

    Args:
        judged: the response.
        problem: the problem's text; without it only the verdict is told.
        lacks: the sentence that was cut out of it, where that is known.
        theme: name or path of the theme of the problem, if it is not a built-in one.
    """
    judgement = judged.judgement
    verdict = _VERDICTS[judged.ending].format(
        value=judgement.value, answer=judged.due, reason=judgement.reason.replace("_", " ")
    )
    quote = f": {_quoted(judgement.quote.text)}" if judgement.quote else ""
    sentences = [f"{verdict}{quote}."]
    if judged.says_unknown != (judgement.verdict == "unknown"):
        sentences.append(
            f"The paper's rule finds {'' if judged.says_unknown else 'no '}'unknown' after the last "
            "'answer'."
        )
    sentences += [_diagnosed(judged.diagnosis)] if judged.diagnosis else []
    sentences += [_story(judged)] if judged.dialogue else []
    read = _read(problem, None if theme is None else [load_theme(theme)])
    if read is not None:
        if judged.due == UNKNOWN:
            sentences.append(_open_price(read, lacks))
        sentences += _false_step(judged, read)
    return " ".join(each for each in sentences if each)


_ASKED: dict[AskKind, str] = {
    "settles": "which settles the question",
    "useless": "which settles nothing",
    "the_question": "the very price that the problem asks for",
    "foreign": "an item that the problem does not have",
    "unclear": "no single item",
    "nothing": "nothing",
}


def _diagnosed(diagnosis: Diagnosis) -> str:
    if diagnosis.named is None:
        said = "It says nothing of undetermined items"
    else:
        names = [*diagnosis.named, *(f"{name} (not of this problem)" for name in diagnosis.foreign)]
        right = "exactly right" if diagnosis.exact else f"F1 {diagnosis.f1:.2f}"
        said = f"It calls undetermined: {'; '.join(names) or 'nothing'} ({right})"
    return f"{said}, and asks for {_asked(diagnosis.ask, diagnosis.asks_for)}."


def _asked(kind: AskKind, name: str | None) -> str:
    return ", ".join(part for part in (name, _ASKED[kind]) if part)


def _story(judged: JudgedResponse) -> str:
    assert judged.dialogue is not None
    asked = [
        f"{_asked(each.kind, each.asks_for)}: {each.reply}" for each in judged.dialogue.questions
    ]
    if not asked:
        return "It asks nothing before."
    return f"Before, it asks for {' Then it asks for '.join(asked)}"


def _quoted(text: str) -> str:
    return f"“{' '.join(text.split())}”"


def _read(problem: str | None, themes: Sequence[Theme] | None) -> ReadProblem | None:
    try:
        return None if problem is None else read_problem(problem, themes)
    except TreecutError:
        # Not a text of ours, in a data file of the user's for example.
        return None


def _open_price(read: ReadProblem, lacks: str | None) -> str:
    verdict = solve(read)
    if not isinstance(verdict, Undetermined):
        return ""
    cut = "" if lacks is None else f"; cut: {_quoted(lacks)}"
    prices = f"{verdict.first[read.asked]} or {verdict.second[read.asked]}"
    return f"The text leaves the price of the {read.asked} open: {prices}, for example{cut}."


def _false_step(judged: JudgedResponse, read: ReadProblem) -> list[str]:
    if judged.cause is None:
        return []
    if judged.cause.description is None:
        return ["No single false step leads to this number."]
    texts = [each.text for each in read.sentences if each.number in judged.cause.sentences]
    quoted = [_quoted(text) for text in texts] if len(texts) <= 2 else []
    return [f"Likely false step: {judged.cause.description}", *quoted]
