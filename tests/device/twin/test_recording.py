"""The file of a recording and the description of its code, as the twin's client reads them."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.device.twin.device import RECORDING_PATIENCE, STEP_SECONDS
from fewtaps.device.twin.recording import (
    HEADER_WORDS,
    MAGIC,
    code_fields,
    make_file,
    parse_code,
    private_copy,
    read_file,
    record_fields,
)
from fewtaps.errors import BridgeError, DeviceUnavailable, UsageError
from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import RecordWish, RunRecord, SeenValue, Word
from fewtaps.model.seen_values import seen_values

FILE_BYTES = 1 << 20
WORLD = Path(__file__).resolve().parents[3] / "bridge/src/main/java/dev/fewtaps/twin/world"
BRANCH = ["branch", 4, [[0]], {"op": "ifeq"}, "", ""]
CODE = {
    "classes": [
        {
            "name": "a.B",
            "file": "B.java",
            "super": "java.lang.Object",
            "interfaces": ["java.lang.Runnable"],
            "app": True,
            "methods": [
                {
                    "name": "run",
                    "desc": "()V",
                    "access": 1,
                    "first": 7,
                    "outside": True,
                    "params": ["this"],
                    "code": [
                        ["load", 3, [[-1]], {"local": 0, "name": "this"}, "", ""],
                        ["getfield", 3, [[0]], {"class": "a.B", "name": "count", "desc": "I"}, "o", ""],
                        BRANCH,
                        [
                            "call",
                            5,
                            [[0]],
                            {"kind": "virtual", "class": "a.C", "name": "d", "desc": "()I", "beyond": True},
                            "o",
                            "n",
                        ],
                        ["return", 6, [], {}, "", ""],
                    ],
                    "blocks": [[0, 2, [1, 2], []], [3, 3, [2], [2]], [4, 4, [-1], []]],
                },
                {"name": "big", "desc": "()V", "access": 1, "first": 10, "opaque": "it is too large for probes"},
            ],
        }
    ]
}


def entry(kind: int, content: bytes) -> bytes:
    """One entry of the tables, as it lies in the file: its content below its head."""
    return content.ljust((len(content) + 3) // 4 * 4, b"\0") + struct.pack("<I", kind << 28 | len(content))


def write_file(
    path: Path, words: list[int], entries: list[bytes], flags: int = 0, event: int = 0, count: int | None = None
) -> None:
    make_file(path, 1)
    head = struct.pack("<4I", MAGIC, len(words) if count is None else count, flags, event).ljust(
        HEADER_WORDS * 4, b"\0"
    )
    tables = b"".join(reversed(entries))
    content = head + struct.pack(f"<{len(words)}I", *words)
    path.write_bytes(content.ljust(FILE_BYTES - len(tables), b"\0") + tables)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "record"
    made.touch()
    return made


def test_words_and_tables_are_read(path: Path) -> None:
    surrogates = "\ud83d".encode("utf-8", "surrogatepass") + "\ude00".encode("utf-8", "surrogatepass")
    numbers = [
        (4, struct.pack("<q", -5)), (5, struct.pack("<q", -(1 << 40))), (6, struct.pack("<q", 1)),
        (7, struct.pack("<q", ord("x"))), (10, struct.pack("<f4x", 1.5)), (11, struct.pack("<d", 0.25)),
    ]  # fmt: skip
    entries = [entry(2, b"main"), entry(1, b"abc"), entry(1, surrogates), *(entry(*each) for each in numbers)]
    entries += [entry(3, b"Handler.post"), entry(2, b"worker"), entry(12, b"a.B"), entry(13, b"long")]
    write_file(path, [7, 1 << 28 | 42], entries)
    file = read_file(path, 1)
    assert file.words.tolist() == [7, 1 << 28 | 42]
    assert file.threads == ("main", "worker")
    assert file.values[1:3] == ('"abc', '"\U0001f600')
    assert file.values[3:9] == ("I-5", f"J{-(1 << 40)}", "Ztrue", "Cx", "F1.5", "D0.25")
    assert file.values[9:] == ("#Handler.post", "@a.B", "~long")
    assert file.ordered and file.stopped_at is None


def test_the_flags_of_the_header_are_told(path: Path) -> None:
    write_file(path, [7], [], flags=3, event=4)
    file = read_file(path, 1)
    assert (file.ordered, file.stopped_at) == (False, 4)


@pytest.mark.parametrize("count", [FILE_BYTES // 4 - HEADER_WORDS + 1, (1 << 32) - 1])
def test_more_words_than_the_file_has_are_refused(path: Path, count: int) -> None:
    write_file(path, [7], [], count=count)
    with pytest.raises(BridgeError, match="malformed recording"):
        read_file(path, 1)


@pytest.mark.parametrize("head", [1 << 28 | (1 << 28) - 1, 15 << 28 | 4, 4 << 28 | 3])
def test_a_damaged_table_is_refused(path: Path, head: int) -> None:
    write_file(path, [7], [struct.pack("<II", 0, head)])
    with pytest.raises(BridgeError, match="malformed recording"):
        read_file(path, 1)


@given(content=st.binary(max_size=400), tail=st.binary(max_size=200))
def test_any_file_is_a_recording_or_a_bridge_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, tail: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "record"
    path.write_bytes(struct.pack("<II", MAGIC, len(content) % 64) + content + tail)
    try:
        read_file(path, 1)
    except BridgeError as error:
        assert len(str(error)) < 600


def test_a_file_without_the_magic_word_is_refused(path: Path) -> None:
    make_file(path, 1)
    with pytest.raises(BridgeError, match="does not start as one"):
        read_file(path, 1)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BridgeError, match="cannot read the recording"):
        read_file(tmp_path / "none", 1)


def test_a_new_file_is_empty_and_as_large_as_asked_for(path: Path) -> None:
    path.write_bytes(b"old" * 1000)
    make_file(path, 2)
    assert path.stat().st_size == 2 << 20
    assert not any(path.read_bytes())


@pytest.mark.parametrize("megabytes", [0, -1, 2048])
def test_a_size_that_cannot_be_mapped_is_refused(path: Path, megabytes: int) -> None:
    with pytest.raises(UsageError, match="choose 1 to 2047"):
        make_file(path, megabytes)


def test_a_file_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeviceUnavailable, match="no room for a recording"):
        make_file(tmp_path / "none" / "record", 1)


def test_the_code_is_read() -> None:
    code = parse_code(CODE)
    made = code.classes["a.B"]
    method = made.methods[0]
    assert (made.file, made.parent, made.interfaces, made.is_app) == (
        "B.java",
        "java.lang.Object",
        ("java.lang.Runnable",),
        True,
    )
    assert [each.op for each in method.instructions] == [Op.LOAD, Op.GET_FIELD, Op.BRANCH, Op.CALL, Op.RETURN]
    assert method.instructions[0].name == "this" and method.instructions[1].name is None
    field, called = method.instructions[1].field, method.instructions[3].called
    assert field is not None and field.name == "count"
    assert called is not None and called.beyond and called.descriptor == "()I"
    assert method.instructions[2].text == "ifeq"
    assert method.blocks[1].handlers == (2,) and method.blocks[2].successors == (-1,)
    assert made.methods[1].opaque == "it is too large for probes"


def test_a_wish_is_told_to_the_bridge() -> None:
    wish = RecordWish(
        2, 5, ("a.b", "c"), values=(("a.B", "run()V", (1,)), ("a.B", "run()V", (3,)), ("a.C", "d()I", (0,)))
    )
    assert record_fields(wish, Path("/twin/record")) == {
        "path": "/twin/record",
        "from": 2,
        "until": 5,
        "scope": ["a.b", "c"],
        "values": {"a.B": {"run()V": [1, 3]}, "a.C": {"d()I": [0]}},
    }
    assert record_fields(RecordWish(scope=("app",)), Path("/r"))["scope"] == "app"


def word(kind: Word, payload: int) -> int:
    return kind << 28 | payload


def test_values_are_told_with_their_instructions_in_order() -> None:
    words = [
        *(word(Word.TURN, 0), word(Word.EVENT, 0)),
        *(word(Word.BLOCK, 7), word(Word.NUMBER, 1), word(Word.VALUE, 1)),
        *(word(Word.TURN, 1), word(Word.BLOCK, 8), word(Word.NUMBER, 3), word(Word.OBJECT, 9), word(Word.VALUE, 2)),
        *(word(Word.BLOCK, 8), word(Word.NUMBER, 3), word(Word.OBJECT, 0), word(Word.VALUE, 0)),
        *(word(Word.BLOCK, 99), word(Word.NUMBER, 3), word(Word.VALUE, 1)),
    ]
    record = RunRecord(np.array(words, dtype=np.uint32), parse_code(CODE), ("", "I5", '"abc'))
    assert seen_values(record) == (
        SeenValue("a.B", "run()V", 1, "5"),
        SeenValue("a.B", "run()V", 3, '"abc"', 9),
        SeenValue("a.B", "run()V", 3, "null"),
    )


def test_a_recording_that_was_cut_short_is_read_to_its_last_word(path: Path) -> None:
    words = [7, 8, Word.LOST << 28, 9]
    classes = [entry(14, struct.pack("<I", 7) + b"a.B"), entry(14, struct.pack("<I", 40) + b"a.C")]
    write_file(path, words, [entry(2, b"main"), *classes], count=1)
    assert read_file(path, 1).words.tolist() == [7]
    cut = read_file(path, 1, is_cut=True)
    assert cut.words.tolist() == words
    assert cut.first_blocks == {"a.B": 7, "a.C": 40}
    assert (cut.threads, cut.ordered, cut.stopped_at) == (("main",), False, None)


def test_another_process_is_asked_for_the_blocks_of_the_recording(path: Path) -> None:
    write_file(path, [8, Word.EVENT << 28 | 1, 7, 8], [entry(14, struct.pack("<I", 7) + b"a.B")])
    fields = code_fields(read_file(path, 1), RecordWish(scope=("app",)))
    assert (fields["blocks"], fields["numbers"], fields["record"]["scope"]) == ([7, 8], {"a.B": 7}, "app")


def test_a_file_that_is_cut_while_it_is_read_does_not_end_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.touch()
    make_file(path, 1)
    with path.open("r+b") as file:
        file.write(b"head")
        file.seek(FILE_BYTES // 2)
        file.write(b"tail")
    with path.open("rb") as stream, private_copy(stream, FILE_BYTES) as copy:
        mapped = np.memmap(copy, dtype=np.uint8, mode="r")
        # What a hostile app does; a mapping of the file itself would end this process.
        os.truncate(path, 0)
        assert len(mapped) == FILE_BYTES
        assert mapped[:4].tobytes() == b"head"
        assert mapped[FILE_BYTES // 2 :][:4].tobytes() == b"tail"
        assert not mapped[-4096:].any()
        # Holes stay holes: a recording is large and mostly empty.
        assert os.fstat(copy.fileno()).st_blocks * 512 < FILE_BYTES
    assert list(tmp_path.iterdir()) == [path]


def constant(name: str, source: str) -> int:
    """A number that a class of the bridge names."""
    text = (WORLD / source).read_text("utf-8")
    (found,) = re.findall(rf"static final (?:int|long) {name} = ([\d_]+)L?;", text)
    return int(found.replace("_", ""))


def test_a_recorded_loop_counts_as_a_hang_before_the_device_gives_up() -> None:
    """The bridge tells a loop from a hang by processor time; without an answer the device counts as lost."""
    patience = constant("PATIENCE", "Recorder.java")
    longest = max(constant("MAIN_REAL_NANOS", "Hooks.java"), constant("WORKING_NANOS", "StuckProbe.java")) / 1e9
    assert patience > 15, "a recorded loop may be fifteen times slower"
    assert patience * longest < RECORDING_PATIENCE * STEP_SECONDS
