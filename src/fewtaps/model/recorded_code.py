"""The code of an app as the recording's device runs it: classes, methods, blocks and instructions.

The device tells all of it (the request `code` of the bridge's protocol), so that nothing here parses bytecode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

RETURNS = -1
"""The successor of a block that ends its method."""

FIRST_CAUGHT = -100_000
"""A producer of this number or below stands for an exception that arrives at a block: see `caught_at`."""


class Op(Enum):
    """What an instruction does."""

    CONST = "const"
    LOAD = "load"
    STORE = "store"
    INC = "inc"
    GET_FIELD = "getfield"
    PUT_FIELD = "putfield"
    GET_STATIC = "getstatic"
    PUT_STATIC = "putstatic"
    ARRAY_LOAD = "arrayload"
    ARRAY_STORE = "arraystore"
    LENGTH = "length"
    CALL = "call"
    NEW = "new"
    NEW_ARRAY = "newarray"
    MATH = "math"
    CONVERT = "convert"
    COMPARE = "compare"
    BRANCH = "branch"
    SWITCH = "switch"
    GOTO = "goto"
    RETURN = "return"
    THROW = "throw"
    CAST = "cast"
    INSTANCE_OF = "instanceof"
    MONITOR = "monitor"


@dataclass(frozen=True, slots=True)
class Called:
    """The method that a call names. `kind` is virtual, static, special, interface or dynamic.

    A call is `beyond` if its target may lie outside the recorded classes: the recording then has its receiver, its
    arguments and its result.
    """

    kind: str
    class_name: str
    name: str
    descriptor: str
    beyond: bool


@dataclass(frozen=True, slots=True)
class FieldName:
    """A field: the class that declares it, its name and its type in the JVM's notation."""

    class_name: str
    name: str
    descriptor: str


@dataclass(frozen=True, slots=True)
class InlinedFrom:
    """The method of the sources whose code a shrinker moved here, and its file."""

    class_name: str
    method: str
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a method.

    `operands` has for each operand the instructions that may have produced it, by their numbers in the method; below
    zero are parameters (`parameter_of`) and caught exceptions (`caught_at`). The one that did produce it in a run is
    the latest earlier instance of one of them in the same frame.

    `before` and `after` list the words that the recording has for each execution, a letter each: `o` an object, `n` a
    number or a value, `v` a value.

    `line` is 0 where it is not known. `text` is the constant, the type or the JVM's name of the operation;
    `constant_type` is the type of a constant in the JVM's notation, `null` for null and empty where it is not known.
    `local` and `name` are the number and the name of a local variable; the `name` of a constant is that of the resource
    whose number it is, such as `R.id.title`. `by` is what an `INC` adds. `inlined` is set where
    a mapping file says that the instruction comes from another method: `line` is then a line of that one's file.
    """

    op: Op
    line: int = 0
    operands: tuple[tuple[int, ...], ...] = ()
    before: str = ""
    after: str = ""
    text: str = ""
    local: int = -1
    name: str | None = None
    by: int = 0
    field: FieldName | None = None
    called: Called | None = None
    keys: tuple[int, ...] = ()
    inlined: InlinedFrom | None = None
    constant_type: str = ""


def parameter_of(producer: int) -> int | None:
    """The number of the parameter that a producer stands for, `this` being 0; None if it stands for something else."""
    return -1 - producer if FIRST_CAUGHT < producer < 0 else None


def caught_at(producer: int) -> int | None:
    """The block at which the exception arrives that a producer stands for; None if it stands for something else."""
    return FIRST_CAUGHT - producer if producer <= FIRST_CAUGHT else None


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions `first` to `last`, both included, that run one after the other; an empty block has `last` < `first`.

    `successors` are blocks of the same method by normal flow, `RETURNS` at a return; `handlers` are the blocks that
    catch what is thrown in this one.
    """

    first: int
    last: int
    successors: tuple[int, ...] = ()
    handlers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodCode:
    """One method. Its block `b` has the number `first_block + b` in the recording; block 0 is the entry.

    Code outside the recorded classes may call a method that is `outside`: the recording then has `this` and the
    arguments after the entry's block, and a returned object before the return. `parameters` are `this` and the
    parameter types. `opaque` is the reason why there are no instructions, None if there are.
    """

    class_name: str
    name: str
    descriptor: str
    first_block: int
    access: int = 0
    outside: bool = False
    parameters: tuple[str, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    blocks: tuple[Block, ...] = ()
    opaque: str | None = None

    @property
    def is_static(self) -> bool:
        """Whether there is no `this`."""
        return bool(self.access & 0x0008)


@dataclass(frozen=True, slots=True)
class ClassCode:
    """One class of the APK; `is_app` says whether it is the app's own and not a library's."""

    name: str
    file: str | None = None
    parent: str | None = None
    interfaces: tuple[str, ...] = ()
    is_app: bool = True
    methods: tuple[MethodCode, ...] = ()


@dataclass(frozen=True)
class Code:
    """All classes of which a recording has blocks."""

    classes: Mapping[str, ClassCode] = field(default_factory=dict)
