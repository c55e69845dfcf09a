"""Problems as Hugging Face data sets: the rows of `treecut generate`, however they are read."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import Dataset, IterableDataset
from datasets.distributed import split_dataset_by_node
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import RunTreecut
from tests.trainers import TO_INSTALL, tiny_model, training_arguments
from treecut_tasks import (
    ProblemConfig,
    Reward,
    TreecutError,
    read_mixture,
    to_dataset,
    to_iterable_dataset,
)
from treecut_tasks.evaluation import Design, TaskParameters, build_items
from treecut_tasks.evaluation.prompts import make_shot, system_prompt, user_messages
from treecut_tasks.reference_models.policies import respond
from treecut_tasks.training import FORMS, Form, verdict

CONFIG = ProblemConfig(ans_depth=4, num_vars=6, cut_depth=2)
SEED, ENTRIES = 3, 600

MIXTURE = """\
parts:
  - {ans_depth: 2, theme: outfit, weight: 2, answerable_share: 0.5}
  - {ans_depth: 4, pairs: full}
splits: {train: 0.5, validation: 0.2, test: 0.3}
"""

Row = dict[str, Any]


@pytest.fixture(scope="module")
def mixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mixture") / "mixture.yaml"
    path.write_text(MIXTURE, encoding="utf-8")
    return path


def ids(rows: Iterable[Row]) -> list[str]:
    return [row["id"] for row in rows]


# --- The rows ---


@pytest.mark.parametrize("pairs", ["none", "full", "matched"])
@pytest.mark.parametrize("columns", ["all", "text"])
def test_rows_and_columns_are_those_of_treecut_generate(
    pairs: Any, columns: Any, run_treecut: RunTreecut, tmp_path: Path
) -> None:
    path = tmp_path / "data.parquet"
    arguments = ["--ans-depth", "4", "--seed", str(SEED), "-n", str(ENTRIES)]
    arguments += ["--format", "parquet"]
    arguments += ["--columns", columns, *(["--pairs", pairs] if pairs != "none" else [])]
    result = run_treecut("generate", *arguments, "-o", path)
    assert result.returncode == 0, result.stderr
    expected = pq.read_table(path)

    made = to_dataset(CONFIG, SEED, ENTRIES, pairs=pairs, form=columns)
    assert made.data.table.combine_chunks() == expected.combine_chunks()
    assert made.features.arrow_schema.remove_metadata() == expected.schema.remove_metadata()
    assert str(made.split) == "data"
    # What the library itself makes of the file.
    assert made.features == Dataset.from_parquet(str(path), cache_dir=str(tmp_path)).features

    streamed = to_iterable_dataset(CONFIG, SEED, ENTRIES, pairs=pairs, form=columns)
    assert streamed.features == made.features
    assert list(streamed) == expected.to_pylist()
    assert len(made) == ENTRIES * (1 if pairs == "none" else 2)


def test_splits_of_a_mixture_are_those_of_treecut_generate(
    mixture: Path, run_treecut: RunTreecut, tmp_path: Path
) -> None:
    options = f"--seed {SEED} -n {ENTRIES} --format parquet --shards 5 --mixture".split()
    result = run_treecut("generate", *options, mixture, "-o", tmp_path)
    assert result.returncode == 0, result.stderr
    recipe = read_mixture(mixture, seed=0)
    seen: list[str] = []
    for split in ("train", "validation", "test"):
        files = sorted(tmp_path.glob(f"{split}-*.parquet"))
        expected = [row for file in files for row in pq.read_table(file).to_pylist()]
        made = to_dataset(recipe, SEED, ENTRIES, split=split)
        assert made.to_list() == expected
        assert str(made.split) == split
        assert list(to_iterable_dataset(recipe, SEED, ENTRIES, split=split, shards=3)) == expected
        seen += {row["id"] for row in expected}
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_streams_what_it_holds_in_memory(form: Form, mixture: Path) -> None:
    recipe = read_mixture(mixture, seed=0)
    for config, options in ((CONFIG, {}), (recipe, {"split": "train"})):
        made = to_dataset(config, SEED, 50, form=form, **options)  # type: ignore[arg-type]
        streamed = to_iterable_dataset(config, SEED, 50, form=form, shards=7, **options)  # type: ignore[arg-type]
        assert list(streamed) == made.to_list()
        assert streamed.features == made.features
        assert streamed.split == made.split


def test_forms_hold_the_columns_that_are_documented() -> None:
    columns = {
        form: to_dataset(CONFIG, SEED, 2, pairs="full", form=form).column_names for form in FORMS
    }
    assert columns["text"] == ["id", "problem", "answer", "proof", "pair_id"]
    assert columns["messages"] == ["id", "messages", "pair_id"]
    assert columns["prompts"] == ["id", "prompt", "problem", "answer", "pair_id"]
    assert set(columns["all"]) > set(columns["text"])
    assert "pair_id" not in to_dataset(CONFIG, SEED, 2).column_names


@pytest.mark.parametrize("system_message", [False, True])
def test_messages_are_what_the_tasks_send_and_their_examples_answer(
    system_message: bool, tmp_path: Path
) -> None:
    texts = to_dataset(CONFIG, SEED, 100, pairs="full", form="text")
    files = {}
    for kind, wanted in (("unanswerable", True), ("answerable", False)):
        file = files[kind] = tmp_path / f"{kind}.jsonl"
        chosen = [row for row in texts if (row["answer"] == "unknown") == wanted]
        file.write_text("".join(json.dumps(row) + "\n" for row in chosen), encoding="utf-8")
    served = {
        item.problem: item.prompt
        for kind, file in files.items()
        for item in build_items(TaskParameters.parse({"data_file": str(file)}), Design(kind)).items  # type: ignore[arg-type]
    }
    system = system_prompt("cot" if system_message else "none")
    before = [] if system is None else [{"role": "system", "content": system}]

    options: dict[str, Any] = {"pairs": "full", "system_message": system_message}
    messages = to_dataset(CONFIG, SEED, 100, form="messages", **options)
    unanswered = to_dataset(CONFIG, SEED, 100, form="messages", solutions=False, **options)
    prompts = to_dataset(CONFIG, SEED, 100, form="prompts", **options)
    rows = zip(texts, messages, unanswered, prompts, strict=True)
    for text, with_response, without, prompt in rows:
        sent = [*before, {"role": "user", "content": served[text["problem"]]}]
        assert prompt["prompt"] == without["messages"] == sent
        assert (prompt["problem"], prompt["answer"]) == (text["problem"], text["answer"])
        assert text["id"] == with_response["id"] == without["id"] == prompt["id"]
        shot = make_shot(text["problem"], text["proof"], text["answer"])
        turns = user_messages([shot], "", "turns")[:2]
        assert with_response["messages"] == [*before, *(turn._asdict() for turn in turns)]


@settings(max_examples=25)
@given(
    depth=st.integers(2, 8), seed=st.integers(0, 10**6), theme=st.sampled_from(["food", "outfit"])
)
def test_the_response_of_every_row_is_right_in_our_own_score(
    depth: int, seed: int, theme: str
) -> None:
    config = ProblemConfig(ans_depth=depth, theme=theme)
    rows = to_dataset(config, seed, 20, pairs="full", form="messages")
    answers = to_dataset(config, seed, 20, pairs="full", form="text")["answer"]
    for row, answer in zip(rows, answers, strict=True):
        wanted = "unknown_where_unanswerable" if answer == "unknown" else "right"
        assert verdict(row["messages"][-1]["content"], {"answer": answer}) == wanted


def test_the_solver_earns_the_whole_reward_on_prompts() -> None:
    reward = Reward()
    for row in to_dataset(CONFIG, SEED, 50, pairs="full", form="prompts"):
        assert reward(respond("solver", row["prompt"][-1]["content"]), row) == 1.0


# --- Reading by several workers and nodes ---


@settings(max_examples=20)
@given(data=st.data(), shards=st.integers(1, 6), world_size=st.integers(1, 4))
def test_nodes_and_interruptions_neither_repeat_nor_skip_a_row(
    data: st.DataObject, shards: int, world_size: int
) -> None:
    entries = data.draw(st.integers(shards, 60), label="entries")
    expected = ids(to_dataset(CONFIG, SEED, entries, form="text"))

    def share(rank: int) -> IterableDataset:
        whole = to_iterable_dataset(CONFIG, SEED, entries, form="text", shards=shards)
        assert whole.num_shards == shards
        return split_dataset_by_node(whole, rank=rank, world_size=world_size)

    seen: list[str] = []
    for rank in range(world_size):
        rows = ids(share(rank))
        stop = data.draw(st.integers(0, len(rows)), label="stop")
        resumed = share(rank)
        resumed.load_state_dict(_state_after(share(rank), stop))
        assert ids(resumed) == rows[stop:]
        seen += rows
    assert Counter(seen) == Counter(expected)


def _state_after(data_set: IterableDataset, rows: int) -> dict[str, Any]:
    """The state in which reading was given up after some rows, as a checkpoint file keeps it."""
    reader = iter(data_set)
    for _ in range(rows):
        next(reader)
    state: dict[str, Any] = json.loads(json.dumps(data_set.state_dict()))
    return state


@pytest.mark.parametrize("rows", [0, 1, 4, 5, 6, 10, 15, 16, 17])
def test_another_process_resumes_at_and_around_the_boundaries_of_shards(rows: int) -> None:
    def made() -> IterableDataset:
        # Shards of 5, 6 and 6 rows.
        return to_iterable_dataset(CONFIG, SEED, 17, shards=3)

    resumed = pickle.loads(pickle.dumps(made()))
    resumed.load_state_dict(_state_after(made(), rows))
    assert list(resumed) == list(made())[rows:]


def _loader(data_set: Any, workers: int, start: str | None = None, **options: Any) -> Any:
    torch_data = pytest.importorskip("torch.utils.data", reason=f"needs {TO_INSTALL}")
    context = start if workers else None
    return torch_data.DataLoader(
        data_set,
        batch_size=None,
        num_workers=workers,
        multiprocessing_context=context,
        **options,
    )


@pytest.mark.parametrize(
    ("workers", "start", "world_size"),
    [
        *[(0, None, 2), (0, None, 3)],
        *[(2, "fork", 1), (2, "fork", 2), (2, "fork", 3)],
        *[(3, "fork", 1), (3, "fork", 2), (3, "fork", 3)],
        (2, "spawn", 1),
    ],
)
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_workers_and_nodes_read_every_row_once(
    workers: int, start: str | None, world_size: int
) -> None:
    """Four shards: a multiple of workers and nodes, or not."""
    expected = ids(to_dataset(CONFIG, SEED, 101, form="text"))
    whole = to_iterable_dataset(CONFIG, SEED, 101, form="text", shards=4)
    seen: list[str] = []
    for rank in range(world_size):
        share = whole if world_size == 1 else split_dataset_by_node(whole, rank, world_size)
        seen += ids(_loader(share, workers, start))
    assert Counter(seen) == Counter(expected)


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_more_workers_than_shards_read_every_row_once() -> None:
    whole = to_iterable_dataset(CONFIG, SEED, 50, form="text", shards=1)
    assert Counter(ids(_loader(whole, 2, "fork"))) == Counter(ids(whole))


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_batches_of_workers_hold_every_row_once() -> None:
    torch_data = pytest.importorskip("torch.utils.data", reason=f"needs {TO_INSTALL}")
    whole = to_iterable_dataset(CONFIG, SEED, 50, form="text", shards=4)
    loader = torch_data.DataLoader(
        whole, batch_size=8, num_workers=2, multiprocessing_context="fork"
    )
    assert Counter(name for batch in loader for name in batch["id"]) == Counter(ids(whole))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("rows", [1, 30, 77])
@pytest.mark.filterwarnings("ignore")
def test_a_stateful_loader_resumes_in_its_workers(workers: int, rows: int) -> None:
    stateful = pytest.importorskip(
        "torchdata.stateful_dataloader", reason="needs pip install torchdata"
    )
    expected = ids(to_dataset(CONFIG, SEED, 101, form="text"))

    def loader() -> Any:
        return stateful.StatefulDataLoader(
            to_iterable_dataset(CONFIG, SEED, 101, form="text", shards=4),
            batch_size=None,
            num_workers=workers,
            multiprocessing_context="fork" if workers else None,
        )

    interrupted, resumed = loader(), loader()
    reader = iter(interrupted)
    before = [next(reader)["id"] for _ in range(rows)]
    resumed.load_state_dict(interrupted.state_dict())
    assert Counter([*before, *ids(resumed)]) == Counter(expected)


# --- What the library builds on top ---


def test_shuffling_is_a_permutation_that_the_seed_and_the_epoch_name() -> None:
    whole = to_iterable_dataset(CONFIG, SEED, 200, form="text", shards=10)
    shuffled = whole.shuffle(seed=1, buffer_size=20)
    first = ids(shuffled)
    assert Counter(first) == Counter(ids(whole))
    assert first != ids(whole)
    assert ids(shuffled) == first
    shuffled.set_epoch(1)
    second = ids(shuffled)
    assert Counter(second) == Counter(first)
    assert second != first
    shuffled.set_epoch(0)
    assert ids(shuffled) == first
    shares = [split_dataset_by_node(shuffled, rank, 2) for rank in range(2)]
    assert Counter(name for share in shares for name in ids(share)) == Counter(first)


@settings(max_examples=10)
@given(stop=st.integers(0, 20))
def test_maps_filters_and_batches_resume(stop: int) -> None:
    def whole() -> IterableDataset:
        return to_iterable_dataset(CONFIG, SEED, 120, pairs="full", form="text", shards=5)

    def built() -> IterableDataset:
        return (
            whole()
            .map(lambda row: {"length": len(row["problem"])})
            .filter(lambda row: row["answer"] == "unknown")
            .batch(6)
        )

    batches = list(built())
    assert [name for batch in batches for name in batch["id"]] == [
        row["id"] for row in whole() if row["answer"] == "unknown"
    ]
    assert batches[0]["length"] == [len(text) for text in batches[0]["problem"]]
    resumed = built()
    resumed.load_state_dict(_state_after(built(), stop))
    assert list(resumed) == batches[stop:]


def test_data_sets_in_memory_work_with_the_library(tmp_path: Path) -> None:
    made = to_dataset(CONFIG, SEED, 40, form="messages")
    again = pickle.loads(pickle.dumps(made))
    assert again.to_list() == made.to_list()
    mapped = made.map(lambda row: {"turns": len(row["messages"])})
    assert set(mapped["turns"]) == {2}
    made.save_to_disk(tmp_path / "saved")
    assert Dataset.load_from_disk(str(tmp_path / "saved")).to_list() == made.to_list()
    assert Counter(ids(_loader(made, 0))) == Counter(ids(made))


def test_large_data_sets_begin_at_once_and_can_be_divided() -> None:
    large = to_iterable_dataset(CONFIG, SEED, 10**12, form="text")
    (row,) = large.take(1)
    assert row == to_dataset(CONFIG, SEED, 1, form="text")[0]
    assert large.num_shards % 256 == 0


def test_small_data_sets_have_a_shard_for_each_block_of_the_stream() -> None:
    counts = {n: to_iterable_dataset(CONFIG, SEED, n).num_shards for n in (1, 4096, 4097, 10**6)}
    assert counts == {1: 1, 4096: 1, 4097: 2, 10**6: 245}


# --- Bad input ---

ANSWERABLE_PAIR = (
    "A pair was asked of an answerable configuration: give the configuration of the unanswerable "
    "problem."
)
NO_SOLUTIONS = (
    "solutions=False leaves out the response of the form messages, but form is 'prompts': leave "
    "solutions out."
)
PAIRS_OF_A_RECIPE = (
    "pairs is 'full', but a recipe says for each of its parts whether it has pairs: leave pairs "
    "out."
)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"form": "chat"}, "form is 'chat': it must be all, text, messages or prompts."),
        ({"form": None}, "form is None: it must be all, text, messages or prompts."),
        ({"split": "test"}, "split is 'test': it must be data."),
        ({"pairs": "half"}, "pairs is 'half': it must be none, full or matched."),
        ({"pairs": None}, "pairs is None: it must be none, full or matched."),
        ({"n": 0}, "The number of problems is 0: it must be a whole number of 1 or more."),
        ({"n": 1.5}, "The number of problems is 1.5: it must be a whole number of 1 or more."),
        ({"seed": -1}, "seed is -1: it must be a whole number of 0 or more."),
        ({"seed": "x"}, "seed is 'x': it must be a whole number of 0 or more."),
        (
            {"config": "food"},
            "config is 'food': it must be a ProblemConfig, or a recipe as read_mixture gives it.",
        ),
        (
            {"config": ProblemConfig(ans_depth=4, unanswerable=False), "pairs": "full"},
            ANSWERABLE_PAIR,
        ),
        (
            {"system_message": True},
            "system_message needs messages, but form is 'all': use messages or prompts.",
        ),
        (
            {"solutions": False, "form": "prompts"},
            NO_SOLUTIONS,
        ),
    ],
)
def test_bad_values_are_one_sentence(values: Row, said: str) -> None:
    arguments = {"config": CONFIG, "seed": SEED, "n": 3, **values}
    for function in (to_dataset, to_iterable_dataset):
        with pytest.raises(TreecutError) as raised:
            function(**arguments)
        assert str(raised.value) == said


@pytest.mark.parametrize("shards", [0, -1, 4, 1.0, True, "2"])
def test_bad_numbers_of_shards_are_one_sentence(shards: Any) -> None:
    with pytest.raises(TreecutError) as raised:
        to_iterable_dataset(CONFIG, SEED, 3, shards=shards)
    assert str(raised.value) == f"shards is {shards!r}: it must be a whole number from 1 to 3."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "split is None: it must be train or validation or test."),
        ({"split": "data"}, "split is 'data': it must be train or validation or test."),
        (
            {"split": "train", "n": 2},
            "The number of problems is 2: it must be a whole number of 3, one for each split, or more.",
        ),
        (
            {"split": "train", "pairs": "full"},
            PAIRS_OF_A_RECIPE,
        ),
    ],
)
def test_bad_values_with_a_mixture_are_one_sentence(values: Row, said: str, mixture: Path) -> None:
    arguments = {"config": read_mixture(mixture, seed=0), "seed": SEED, "n": 30, **values}
    with pytest.raises(TreecutError) as raised:
        to_dataset(**arguments)
    assert str(raised.value) == said


# --- Trainers ---


@pytest.mark.parametrize("streamed", [False, True])
def test_trl_fine_tunes_on_messages(streamed: bool, tmp_path: Path) -> None:
    trl = pytest.importorskip("trl", reason=f"needs {TO_INSTALL}")
    model, tokenizer = tiny_model()
    make = to_iterable_dataset if streamed else to_dataset
    before = model.lm_head.weight.detach().clone()
    trainer = trl.SFTTrainer(
        model=model,
        args=trl.SFTConfig(
            **training_arguments(tmp_path), per_device_train_batch_size=2, max_length=None
        ),
        train_dataset=make(CONFIG, SEED, 4, pairs="full", form="messages"),
        processing_class=tokenizer,
    )
    (shown, *_) = trainer.train_dataset
    row = to_dataset(CONFIG, SEED, 1, pairs="full", form="messages")[0]
    text = "".join(f"{each['role']}: {each['content']}<eos>" for each in row["messages"])
    assert tokenizer.decode(shown["input_ids"]) == text
    assert trainer.train().global_step == 1
    assert not bool((before == model.lm_head.weight).all())


def test_trl_learns_from_prompts_and_the_reward(tmp_path: Path) -> None:
    trl = pytest.importorskip("trl", reason=f"needs {TO_INSTALL}")
    rows = to_dataset(CONFIG, SEED, 1, pairs="full", form="prompts")
    said = [f"Answer: {answer}" for answer in rows["answer"]]
    model, tokenizer = tiny_model(said)
    allowed = {tokenizer.convert_tokens_to_ids(text) for text in said}
    reward, seen = Reward(), Counter[float]()

    def note(completions: list[Any], answer: Sequence[str], **_: Any) -> list[float]:
        for completion, right in zip(completions, answer, strict=True):
            seen[reward(completion[-1]["content"], {"answer": right})] += 1
        return [0.0] * len(completions)

    before = model.lm_head.weight.detach().clone()
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=[reward.for_trl(), note],
        args=trl.GRPOConfig(
            **training_arguments(tmp_path),
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=1,
            generation_kwargs={"suppress_tokens": sorted(set(range(len(tokenizer))) - allowed)},
        ),
        train_dataset=rows,
        processing_class=tokenizer,
    )
    assert trainer.train().global_step == 1
    logged = next(log for log in trainer.state.log_history if "rewards/treecut_reward/mean" in log)
    mean = sum(value * count for value, count in seen.items()) / 8
    assert logged["rewards/treecut_reward/mean"] == pytest.approx(mean)
    # Some are right, some are not, and that is what the step learns from.
    assert len(seen) > 1
    assert not bool((before == model.lm_head.weight).all())


def test_verifiers_takes_prompts_and_answers_of_rows() -> None:
    vf = pytest.importorskip("verifiers.v1", reason=f"needs {TO_INSTALL}")

    class TreecutData(vf.TaskData):  # type: ignore[misc,name-defined]
        answer: str

    for row in to_dataset(CONFIG, SEED, 3, pairs="full", form="prompts", system_message=True):
        data = TreecutData(prompt=row["prompt"], answer=row["answer"])
        assert [message.model_dump(include={"role", "content"}) for message in data.prompt] == row[
            "prompt"
        ]
        assert Reward()(respond("solver", data.prompt[-1].content), {"answer": data.answer}) == 1.0
