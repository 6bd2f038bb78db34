"""Damaged recordings: each is either refused with DamagedRecording or gives a slice, never another error."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from slicing.small_programs import crash_in, machine

from fewtaps.errors import DamagedRecording, DeviceError, NothingToSlice
from fewtaps.model.crash import Crash
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RunRecord, Word
from fewtaps.slicing.recording import RunIndex
from fewtaps.slicing.slicer import Slicer

Words = NDArray[np.uint32]
DAMAGES = 400


def crashed() -> tuple[RunRecord, Crash]:
    """A run with fields, an array, a list, a loop, calls, a caught exception, two threads and a crash at its end."""
    made = machine()
    made.method(
        "Main.down(left) static",
        """
        2 zero = const 0
        3 if ifeq left end
        4 one = const 1
        4 less = math isub left one
        4 deeper = call Main.down static less
        5 return deeper
        end:
        6 return zero
        """,
    )
    made.method("Main.worker() outside", "8 two = const 2\n8 putfield this shared two\n9 return")
    made.method(
        "Main.fill(count) outside",
        """
        12 five = const 5
        12 box = newarray five
        12 putfield this box box
        13 arraystore box count five
        14 kept = call Main.down static count
        14 putfield this kept kept
        15 return
        """,
    )
    made.method(
        "Main.tap() outside",
        """
        20 kept = getfield this kept
        21 two = getfield this shared
        22 box = getfield this box
        22 at = arrayload box two
        23 sum = math iadd at kept
        24 bad = math idiv sum kept
        25 return
        """,
    )
    this = made.thing("Main")
    made.threads.append("worker")
    made.event(0)
    made.call("Main.fill", this, 3)
    made.word(Word.TURN, 1)
    made.call("Main.worker", this)
    made.word(Word.TURN, 0)
    made.event(1)
    crash = crash_in(made, "Main.tap", this, line=24)
    return made.record(), crash


def flip_bits(words: Words, chance: random.Random) -> Words:
    for _ in range(chance.choice((1, 1, 4, 20))):
        words[chance.randrange(len(words))] ^= np.uint32(1 << chance.randrange(32))
    return words


def cut_the_end(words: Words, chance: random.Random) -> Words:
    return words[: chance.randrange(len(words))]


def cut_the_beginning(words: Words, chance: random.Random) -> Words:
    return words[chance.randrange(len(words)) :]


def lose_some(words: Words, chance: random.Random) -> Words:
    at = chance.randrange(len(words))
    return np.delete(words, slice(at, at + chance.choice((1, 2, 10))))


def repeat_some(words: Words, chance: random.Random) -> Words:
    at, taken = chance.randrange(len(words)), chance.randrange(len(words))
    return np.insert(words, at, words[taken : taken + chance.choice((1, 2, 10))])


def write_anything(words: Words, chance: random.Random) -> Words:
    words[chance.randrange(len(words))] = chance.randrange(1 << 32)
    return words


def write_zeros(words: Words, chance: random.Random) -> Words:
    at = chance.randrange(len(words))
    words[at : at + chance.choice((1, 4, 20))] = 0
    return words


def swap_two(words: Words, chance: random.Random) -> Words:
    one, other = chance.randrange(len(words)), chance.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return words


Damage = Callable[[Words, random.Random], Words]
ALL: tuple[Damage, ...] = (
    *(flip_bits, cut_the_end, cut_the_beginning, lose_some, repeat_some, write_anything, write_zeros, swap_two),
)


def use(record: RunRecord, crash: Crash) -> None:
    """Everything that a recording is asked."""
    slicer = Slicer(record)
    for _ in slicer.log_lines():
        pass
    criterion = slicer.criterion_of_crash(crash)
    slicer.slice(criterion)
    slicer.slice(criterion, as_paper=True)
    slicer.why(criterion, "Main.java", 13)
    slicer.instructions_to_watch(criterion)
    slicer.check(())


def test_the_recording_itself_is_sound() -> None:
    record, crash = crashed()
    use(record, crash)


@pytest.mark.slow
@pytest.mark.parametrize("first_event", [0, 1], ids=["whole", "window"])
def test_a_damaged_recording_is_refused_or_sliced(first_event: int) -> None:
    record, crash = crashed()
    refused: Counter[str] = Counter()
    for seed in range(DAMAGES):
        damage = ALL[seed % len(ALL)]
        words = damage(record.words.copy(), random.Random(seed))
        try:
            use(replace(record, words=words, first_event=first_event), crash)
        except DamagedRecording as error:
            assert "\n" not in str(error)
            refused[damage.__name__] += 1
        except NothingToSlice:
            # The words up to the crash are missing, and the rest is a run that did not get so far.
            pass
    assert refused.total() > DAMAGES / 3
    assert refused["write_zeros"] == DAMAGES / len(ALL), "no block has the number 0"


def word(kind: int, payload: int) -> int:
    return (kind << KIND_SHIFT) | payload


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (word(15, 1), "of no known kind"),
        (word(Word.BLOCK, 9999), "of code that the device did not tell of"),
        (word(Word.TURN, 1 << 16), "of a thread without a number"),
        (word(Word.VALUE, PAYLOAD), "of a value that is not in the table"),
        (word(Word.NOTE, 400), "of a value that is not in the table"),
        (word(Word.EVENT, 0), "of an event out of order"),
        (word(Word.OBJECT, 7), "outside of all methods"),
    ],
)
def test_the_message_says_what_does_not_fit(extra: int, said: str) -> None:
    record, _ = crashed()
    words = np.append(record.words, np.array([extra], np.uint32))
    with pytest.raises(DamagedRecording, match=f"the recording is damaged: 1 words {said}"):
        RunIndex(replace(record, words=words))


def test_an_object_in_the_place_of_a_number_is_refused() -> None:
    record, _ = crashed()
    numbers = record.words >> KIND_SHIFT == Word.NUMBER
    words = np.where(numbers, (record.words & PAYLOAD) | (int(Word.OBJECT) << KIND_SHIFT), record.words)
    with pytest.raises(DamagedRecording, match="of another kind than its instruction says"):
        RunIndex(replace(record, words=words.astype(np.uint32)))


def test_a_word_before_all_blocks_is_refused_unless_the_recording_is_a_window() -> None:
    record, _ = crashed()
    words = np.append(np.array([word(Word.UNWOUND, 5)], np.uint32), record.words)
    with pytest.raises(DamagedRecording, match="outside of all methods"):
        RunIndex(replace(record, words=words))
    events = record.words >> KIND_SHIFT == Word.EVENT
    index = RunIndex(replace(record, words=words[~np.append(False, events)], first_event=1))
    assert len(index.frame_starts) == len(RunIndex(record).frame_starts)


def test_a_damaged_recording_counts_as_a_failure_of_the_device() -> None:
    """So its exit code is 3, and `fewtaps run` goes on without the slice."""
    assert issubclass(DamagedRecording, DeviceError)
