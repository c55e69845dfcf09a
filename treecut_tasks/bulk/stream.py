"""The bulk stream: problems that are named by configuration, seed and number, drawn in blocks.

The streams of `treecut_tasks.problems` draw one problem after the other with Python's generator;
seeding it for every problem costs as much as the problem. The bulk stream draws the same
distribution in blocks: block b of a configuration and a seed is made from a Philox generator whose
key is a SHA-256 of everything that names the stream and whose counter begins at b. Any problem can
thus be made without those of other blocks, by any number of processes, and NumPy does the work.
Only raw words of the bit generator are used, because NumPy keeps these, and not its distributions,
the same for ever.
"""

from __future__ import annotations

from treecut_tasks.bulk.draws import Draws, RandomWords, draw_phrases, draw_rest
from treecut_tasks.bulk.matched import draw_matched
from treecut_tasks.bulk.splits import WHOLE, PairKind, Split
from treecut_tasks.problems import ProblemConfig
from treecut_tasks.problems.streams import check_seed

BLOCK = 4096
"""Problems that are drawn at once. Part of what the stream is: another size, another stream."""

# Part of every key. A change of what the stream holds gets a new name, never a silent change.
_VERSION = "treecut-bulk-1"


def draw_block(
    config: ProblemConfig,
    seed: int,
    block: int,
    pairs: PairKind = "none",
    split: Split = WHOLE,
    repeat: int = 0,
) -> Draws:
    """Draw one block of the bulk stream, `BLOCK` problems or pairs.

    Args:
        config: what to draw.
        seed: a whole number of 0 or more.
        block: number of the block, from 0.
        pairs: `none`, `full` or `matched`. The unanswerable members of full pairs are the problems
            that come with `none`.
        split: which names may stand together; the stream of every split is different.
        repeat: numbers the streams of a data set that would otherwise be the same.

    Raises:
        TreecutError: the theme has too few names for the split, or the configuration no such pairs.
    """
    parameters = config.as_dict() | {"theme": config.resolved_theme.digest}
    kind = "matched" if pairs == "matched" else ""
    name = [_VERSION, parameters, check_seed(seed), kind, split.as_list()]
    words = RandomWords([*name, repeat] if repeat else name, block)
    if pairs == "matched":
        return draw_matched(config, words, BLOCK, split)
    return draw_rest(config, words, draw_phrases(config, words, BLOCK, split))
