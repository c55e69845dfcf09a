"""Step 2: keep what a reader is shown.

Drops thinking (any usual tag, the harmony analysis channel and its residue) and turns stop tokens
and chat-template headers into two private marks that later steps split at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from treecut_tasks.scoring.folding import folded
from treecut_tasks.scoring.matching import holds_any

TURN_MARK = "\ue002"
"""Stands for the start of a turn that is not the assistant's."""

STOP_MARK = "\ue003"
"""Stands for the end of the assistant's turn."""

_THINK_NAMES = (
    r"think|thinking|thought|thoughts|thought_process|thinking_process|reasoning|reason|"
    r"reasoning_content|reflection|scratch_?pad|analysis|inner_?monologue|internal_?monologue|"
    r"inner_?thoughts?|internal_?thoughts?|chain_?of_?thoughts?|cot|ponder|planning|deliberation|"
    r"rationale|ant_?thinking|long_?cot|reasoning_?process|reasoning_?trace"
)
_THINK_TAG = re.compile(
    r"(?P<quote>`?)"
    r"(?:"
    rf"<(?=[|\s/A-Za-z])\|?\s{{0,3}}(?P<slash>/?)\s{{0,3}}(?:(?P<edge>begin|start|"
    rf"end)_(?:of_)?)?(?:[a-z]{{1,12}}:)?"
    rf"(?P<name>{_THINK_NAMES})(?P<tail>\s[^<>\n]{{0,80}})?\s{{0,3}}(?P<empty>/?)\|?>"
    r"|\[(?P<slash2>/?)(?P<name2>think|thinking)\]"
    r"|<(?P<slash3>/?)details(?:\s[^<>\n]{0,60}type=[\"']reasoning[\"'][^<>\n]{0,60})?>"
    r"|^\.{3}\s?(?P<done>done thinking)\.?[ ]*$"
    r"|\A\s{0,20}(?P<begun>thinking)\.{3}[ ]*$"
    r")",
    re.IGNORECASE | re.MULTILINE,
)

_BRACKET_TAG = re.compile(r"\[/?think", re.IGNORECASE)
_ESCAPED_TAG = re.compile(rf"&lt;(/?)({_THINK_NAMES})&gt;", re.IGNORECASE)
_FENCED_THINKING = re.compile(
    r"^(?P<fence>```)(?:think|thinking|thought|thoughts|reasoning|scratchpad)[ ]*$"
    r"|<details(?:\s[^<>\n]{0,60})?>\s{0,4}<summary>[^<>\n]{0,40}\b(?:think|thought|reasoning)"
    r"[^<>\n]{0,40}</summary>",
    re.IGNORECASE | re.MULTILINE,
)

_CHANNEL = re.compile(
    r"(?:<\|start\|>\s{0,4}(?P<role>[a-z]{1,20})[^<>\n]{0,60})?"
    r"<\|channel\|>\s{0,4}(?P<name>analysis|commentary|final)[^<>\n]{0,60}"
    r"(?:<\|constrain\|>[^<>\n]{0,30})?<\|message\|>",
    re.IGNORECASE,
)
_CHANNEL_END = re.compile(r"<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)", re.IGNORECASE)
_RESIDUE_FINAL = re.compile(r"assistant\s?final(?=[\W\dA-Z]|$)")
_RESIDUE_ANALYSIS = re.compile(r"\s{0,20}analysis(?=[A-Z])")
_MARKS = ("<", "&", "`", "...", "analysis")
_BRACKETED = re.compile(r"\[/?(?:think|inst|eos|pad)")
_COMMENT = re.compile(r"<!--[^<>]{0,2000}-->")

_USER_TURN = re.compile(
    r"<\|im_start\|>\s{0,4}(?:user|human|system|tool)\b"
    r"|<\|start_header_id\|>\s{0,4}(?:user|system|ipython)\s{0,4}<\|end_header_id\|>"
    r"|<\|header_start\|>\s{0,4}user\s{0,4}<\|header_end\|>"
    r"|<start_of_turn>\s{0,4}user\b"
    r"|<\|start\|>\s{0,4}(?:user|system|developer)\b(?:<\|message\|>)?"
    r"|<\|(?:user|prompter|human|system)\|>|<\|start_of_role\|>user<\|end_of_role\|>"
    r"|\[INST\]|<\|User\|>|<\|?USER(?:_TOKEN)?\|?>",
    re.IGNORECASE,
)
_STOP_TOKEN = re.compile(
    r"<\|(?:im_end|eot_id|eot|endoftext|end_of_text|end|return|eom_id|eom|call|end_of_turn|"
    r"endofturn|end_of_turn_token|endofprompt|end_of_sentence|end_of_document|"
    r"end_of_solution|end_of_response|"
    r"end_header_id|EOT|diff_marker)\|>"
    r"|<\|end_?_?of_?_?sentence\|>|<end_of_turn>|</s>|<eos>|\[EOS\]|<EOD>|<end_of_utterance>"
    r"|\[/INST\]|<\|END_OF_TURN_TOKEN\|>|<\|END_RESPONSE\|>|<\|begin_of_text\|>(?!\A)",
    re.IGNORECASE,
)
_ASSISTANT_HEADER = re.compile(
    r"<\|im_start\|>\s{0,4}assistant\b"
    r"|<\|start_header_id\|>\s{0,4}assistant\s{0,4}(?:<\|end_header_id\|>)?"
    r"|<\|header_start\|>\s{0,4}assistant\s{0,4}<\|header_end\|>"
    r"|<start_of_turn>\s{0,4}model\b|<\|assistant\|>|<\|Assistant\|>"
    r"|<\|start\|>\s{0,4}assistant\b(?:<\|message\|>)?"
    r"|(?<=[\w.!?)*}])assistant(?=\n)|^assistant$",
    re.IGNORECASE | re.MULTILINE,
)
_PADDING = re.compile(
    r"<\|(?:begin_of_text|begin_?_?of_?_?sentence|startoftext|begin_of_solution|START_RESPONSE|"
    r"message|channel|start|constrain|im_start|start_header_id|end_header_id|end_of_role)\|>"
    r"|<bos>|<s>|<pad>|\[PAD\]|<unk>|<\|pad\|>",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Visible:
    """The text that is shown, and what was hidden.

    Attributes:
        text: The shown text, with `TURN_MARK` and `STOP_MARK` at chat-template boundaries.
        had_thinking: Whether thinking was dropped.
        unclosed: Whether the last thinking block was never closed.
    """

    text: str
    had_thinking: bool = False
    unclosed: bool = False


def visible_text(text: str) -> Visible:
    """Drop thinking and chat-template tokens from a text with plain characters.

    Args:
        text: Output of `normalise_characters`.

    Returns:
        The visible text and notes about the thinking.
    """
    if not _may_hide(text):
        return Visible(text)
    text = _ESCAPED_TAG.sub(r"<\1\2>", text) if "&lt;" in text else text
    text, boxed_off = _drop_fenced_thinking(text)
    channels = _keep_final_channel(text)
    residue = _drop_residue(channels.text)
    tagged = _drop_tagged_thinking(residue.text)
    shown = _COMMENT.sub("", tagged.text) if "<!--" in tagged.text else tagged.text
    return Visible(
        _mark_turns(shown),
        boxed_off or channels.had_thinking or residue.had_thinking or tagged.had_thinking,
        channels.unclosed or residue.unclosed or tagged.unclosed,
    )


def _may_hide(text: str) -> bool:
    """Whether a text holds any of what the steps below begin at; most texts do not."""
    if holds_any(text, _MARKS):
        return True
    plain = folded(text)
    return "assistant" in plain or ("[" in plain and _BRACKETED.search(plain) is not None)


def _drop_fenced_thinking(text: str) -> tuple[str, bool]:
    """Drop thinking in a fence or in a fold whose heading says so; both have to be closed."""
    if "```" not in text and "<" not in text:
        return text, False
    kept: list[str] = []
    shown_from = 0
    for opening in _FENCED_THINKING.finditer(text):
        if opening.start() < shown_from:
            continue
        ending = "\n```" if opening["fence"] else "</details>"
        close = text.find(ending, opening.end())
        if close < 0:
            break
        kept.append(text[shown_from : opening.start()])
        shown_from = close + len(ending)
    return "".join([*kept, text[shown_from:]]), bool(kept)


def _keep_final_channel(text: str) -> Visible:
    """Keep the final channel of a harmony conversation."""
    if "<|" not in text or "<|channel|>" not in text.lower():
        return Visible(text)
    openings = list(_CHANNEL.finditer(text))
    if not openings:
        return Visible(text)
    before = text[: openings[0].start()]
    if _CHANNEL_END.search(before) and before.rstrip().endswith("|>"):
        before = ""  # the end of an analysis whose opening is missing
    kept = [before]
    hidden = unclosed = False
    for number, opening in enumerate(openings):
        limit = openings[number + 1].start() if number + 1 < len(openings) else len(text)
        ending = _CHANNEL_END.search(text, opening.end(), limit)
        if opening["name"].lower() == "final":
            kept.append(text[opening.end() : limit])
        else:
            hidden = True
            unclosed = ending is None and limit == len(text)
            if ending is not None:
                kept.append(text[ending.end() : limit])
    return Visible("\n".join(kept), hidden, unclosed)


def _drop_residue(text: str) -> Visible:
    """Drop an analysis channel whose special tokens were stripped from the text."""
    finals = list(_RESIDUE_FINAL.finditer(text)) if "assistant" in text else []
    if finals:
        return Visible(text[finals[-1].end() :], had_thinking=True)
    if _RESIDUE_ANALYSIS.match(text):
        return Visible("", had_thinking=True, unclosed=True)
    return Visible(text)


def _drop_tagged_thinking(text: str) -> Visible:
    """Drop thinking between tags.

    A closing tag without an opening one makes everything before it thinking; an unclosed block
    swallows the rest.
    """
    if "<" not in text and "..." not in text and not _BRACKET_TAG.search(text):
        return Visible(text)
    kept: list[str] = []
    shown_from = 0
    open_tags: dict[str, int] = {}  # name -> how often it was opened, outermost first
    owed = 0  # closing tags that repeated openings still owe
    closed_before = had = False
    for tag in _THINK_TAG.finditer(text):
        if tag["quote"] and text[tag.end() : tag.end() + 1] == "`":
            continue
        name, closing = _tag_role(tag)
        if name is None:
            continue
        if not closing:
            if tag["empty"]:
                continue
            if not open_tags:
                kept.append(text[shown_from : tag.start()])
            open_tags[name] = open_tags.get(name, 0) + 1
            had = True
        elif open_tags:
            if name not in open_tags:
                continue
            names = list(open_tags)
            for inner in names[names.index(name) + 1 :]:
                del open_tags[inner]
            owed += open_tags.pop(name) - 1
            if not open_tags:
                shown_from = tag.end()
                closed_before = True
        else:
            if closed_before and not owed and not text[tag.end() :].strip():
                kept.append(text[shown_from : tag.start()])
            elif name != "details":
                kept.clear()
                had = True
            else:
                continue
            owed = max(0, owed - 1)
            shown_from = tag.end()
    if open_tags:
        return Visible("".join(kept), had_thinking=True, unclosed=True)
    kept.append(text[shown_from:])
    return Visible("".join(kept), had_thinking=had)


def _tag_role(tag: re.Match[str]) -> tuple[str | None, bool]:
    """Return the family of a thinking tag and whether it closes."""
    if tag["begun"]:
        return "think", False
    if tag["done"]:
        return "think", True
    if tag["name2"]:
        return "think", bool(tag["slash2"])
    if tag["slash3"] is not None:
        is_reasoning = "type=" in tag[0]
        if not is_reasoning and not tag["slash3"]:
            return None, False
        return "details", bool(tag["slash3"])
    name = tag["name"].lower()
    family = "think" if name.startswith(("think", "thought")) else name
    return family, bool(tag["slash"]) or (tag["edge"] or "").lower() == "end"


def _mark_turns(text: str) -> str:
    """Replace chat-template tokens by private marks; a stop token in front means nothing."""
    if "<" in text or "[" in text or "assistant" in text:
        text = _USER_TURN.sub(TURN_MARK, text)
        text = _STOP_TOKEN.sub(STOP_MARK, text)
        text = _ASSISTANT_HEADER.sub(STOP_MARK, text)
        text = _PADDING.sub("", text)
    return text
