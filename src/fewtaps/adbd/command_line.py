"""Parses a command line of the device's shell into lists, pipelines, commands, words and redirections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_PARTS = 4096
"""Words, operators and redirections in one line."""
MAX_LINE = 1 << 20
"""Characters of a line, or of a script."""
MAX_COMMANDS = 64
"""Commands in one pipeline, all of which are there at once."""
MAX_TEXT = 1 << 21
"""Characters of all words of a command together, and of all variables of a shell."""
_OPERATORS = ("&&", "||", ">>", "&>", ";", "|", ">", "<", "&", "(", ")", "\n")
_NAME_START = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_NAME = _NAME_START + "0123456789"


class ShellSyntaxError(ValueError):
    """The line is not a command line of this shell."""


class WordsTooLong(ValueError):
    """What variables make of a command's words is longer than `MAX_TEXT`."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word: a text, or with `is_variable` the name of a variable."""

    text: str
    is_variable: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class ShellWord:
    """The pieces that one argument is made of."""

    parts: tuple[Part, ...]

    def expand(self, variables: Mapping[str, str]) -> list[str]:
        """The arguments: one, or for an unquoted variable as many as its value has words. Raises WordsTooLong."""
        self._check_length(variables)
        fields: list[str] = [""]
        is_there = False
        for part in self.parts:
            if part.is_variable and not part.is_quoted:
                words = variables.get(part.text, "").split()
                if words:
                    fields[-1] += words[0]
                    fields += words[1:]
                    is_there = True
            else:
                fields[-1] += variables.get(part.text, "") if part.is_variable else part.text
                is_there = True
        return fields if is_there else []

    def one(self, variables: Mapping[str, str]) -> str:
        """The word as a single text. Raises WordsTooLong."""
        self._check_length(variables)
        return "".join(variables.get(part.text, "") if part.is_variable else part.text for part in self.parts)

    def length(self, variables: Mapping[str, str]) -> int:
        """How many characters the word has with the values of its variables, and one for each of its parts."""
        return sum(1 + len(variables.get(part.text, "") if part.is_variable else part.text) for part in self.parts)

    def _check_length(self, variables: Mapping[str, str]) -> None:
        if self.length(variables) > MAX_TEXT:
            raise WordsTooLong("argument list too long")


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator` is one of < > >>, `descriptor` the stream; a target of None joins error and output stream."""

    operator: str
    descriptor: int
    target: ShellWord | None


@dataclass(slots=True)
class SimpleCommand:
    """One command: variables set for it, its words, its redirections."""

    assignments: list[tuple[str, ShellWord]] = field(default_factory=list)
    words: list[ShellWord] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.assignments or self.words or self.redirects)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by |, run if `operator` allows it after the pipeline before: ; always, && or ||."""

    operator: str
    commands: tuple[SimpleCommand, ...]


def parse_line(line: str) -> list[Pipeline]:
    """The pipelines of a line. Raises ShellSyntaxError."""
    if len(line) > MAX_LINE:
        raise ShellSyntaxError("the line is too long")
    tokens = _tokens(line)
    pipelines: list[Pipeline] = []
    operator, commands, command = ";", [], SimpleCommand()  # type: tuple[str, list[SimpleCommand], SimpleCommand]
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if isinstance(token, ShellWord):
            _add_word(command, token)
        elif token.operator in (">", ">>", "<", "&>"):
            position = _redirect(command, token, tokens, position)
        elif token.operator in ("(", ")"):
            raise ShellSyntaxError(f"syntax error: unexpected '{token.operator}'")
        elif token.operator == "|":
            if command.is_empty:
                raise ShellSyntaxError("syntax error: unexpected '|'")
            commands.append(command)
            if len(commands) >= MAX_COMMANDS:
                raise ShellSyntaxError(f"more than {MAX_COMMANDS} commands in a pipeline")
            command = SimpleCommand()
        else:
            if command.is_empty:
                if commands or token.operator in ("&&", "||"):
                    raise ShellSyntaxError(f"syntax error: unexpected '{token.operator.strip() or 'newline'}'")
                continue
            pipelines.append(Pipeline(operator, (*commands, command)))
            operator = token.operator if token.operator in ("&&", "||") else ";"
            commands, command = [], SimpleCommand()
    if not command.is_empty:
        pipelines.append(Pipeline(operator, (*commands, command)))
    elif commands or operator != ";":
        raise ShellSyntaxError("syntax error: unexpected end of line")
    return pipelines


@dataclass(frozen=True, slots=True)
class _Operator:
    operator: str
    descriptor: int | None = None


def _add_word(command: SimpleCommand, word: ShellWord) -> None:
    if not command.words and word.parts and not word.parts[0].is_variable and not word.parts[0].is_quoted:
        name, equals, rest = word.parts[0].text.partition("=")
        if equals and name and name[0] in _NAME_START and all(char in _NAME for char in name):
            command.assignments.append((name, ShellWord((Part(rest), *word.parts[1:]))))
            return
    command.words.append(word)


def _redirect(command: SimpleCommand, token: _Operator, tokens: list[ShellWord | _Operator], position: int) -> int:
    following = tokens[position] if position < len(tokens) else None
    if isinstance(following, _Operator) and following.operator == "&" and token.operator == ">":
        number = tokens[position + 1] if position + 1 < len(tokens) else None
        if not isinstance(number, ShellWord) or number.one({}) not in ("1", "2"):
            raise ShellSyntaxError("syntax error: only 2>&1 and 1>&2 join streams")
        command.redirects.append(Redirect(">", token.descriptor or 1, None))
        return position + 2
    if not isinstance(following, ShellWord):
        raise ShellSyntaxError(f"syntax error: '{token.operator}' without a file")
    if token.operator == "&>":
        command.redirects += [Redirect(">", 1, following), Redirect(">", 2, None)]
    else:
        descriptor = token.descriptor if token.descriptor is not None else 0 if token.operator == "<" else 1
        command.redirects.append(Redirect(token.operator, descriptor, following))
    return position + 1


def _tokens(line: str) -> list[ShellWord | _Operator]:
    tokens: list[ShellWord | _Operator] = []
    position = 0
    while position < len(line):
        if len(tokens) > MAX_PARTS:
            raise ShellSyntaxError("syntax error: the line has too many words")
        char = line[position]
        if char in " \t\r":
            position += 1
        elif char == "#":
            end = line.find("\n", position)
            position = len(line) if end < 0 else end
        elif char in "12" and line[position + 1 : position + 2] == ">" and _is_start(line, position):
            operator = ">>" if line.startswith(">>", position + 1) else ">"
            tokens.append(_Operator(operator, int(char)))
            position += 1 + len(operator)
        elif found := next((each for each in _OPERATORS if line.startswith(each, position)), None):
            tokens.append(_Operator(found))
            position += len(found)
        else:
            word, position = _word(line, position)
            tokens.append(word)
    return tokens


def _is_start(line: str, position: int) -> bool:
    return position == 0 or line[position - 1] in " \t\r\n;|&"


def _word(line: str, position: int) -> tuple[ShellWord, int]:
    parts: list[Part] = []
    text = ""

    def end_text(quoted: bool = False) -> None:
        nonlocal text
        if text or quoted:
            parts.append(Part(text, is_quoted=quoted))
        text = ""

    while position < len(line) and line[position] not in " \t\r\n;|&<>()":
        char = line[position]
        if char == "\\":
            if line[position + 1 : position + 2] != "\n":
                end_text()
                parts.append(Part(line[position + 1 : position + 2] or "\\", is_quoted=True))
            position += 2
        elif char == "'":
            end = line.find("'", position + 1)
            if end < 0:
                raise ShellSyntaxError("syntax error: no closing quote")
            end_text()
            parts.append(Part(line[position + 1 : end], is_quoted=True))
            position = end + 1
        elif char == '"':
            end_text()
            position = _double_quoted(line, position + 1, parts)
        elif char == "$" and (variable := _variable(line, position)):
            end_text()
            parts.append(Part(variable[0], is_variable=True))
            position = variable[1]
        elif char == "`" or line.startswith("$(", position):
            raise ShellSyntaxError("syntax error: this shell has no command substitution")
        else:
            text += char
            position += 1
    end_text()
    return ShellWord(tuple(parts)), position


def _double_quoted(line: str, position: int, parts: list[Part]) -> int:
    text = ""
    while position < len(line):
        char = line[position]
        if char == '"':
            parts.append(Part(text, is_quoted=True))
            return position + 1
        if char == "\\" and line[position + 1 : position + 2] in ("\\", '"', "$", "`", "\n"):
            text += line[position + 1].replace("\n", "")
            position += 2
        elif char == "$" and (variable := _variable(line, position)):
            parts += [Part(text, is_quoted=True), Part(variable[0], is_variable=True, is_quoted=True)]
            text = ""
            position = variable[1]
        elif char == "`" or line.startswith("$(", position):
            raise ShellSyntaxError("syntax error: this shell has no command substitution")
        else:
            text += char
            position += 1
    raise ShellSyntaxError("syntax error: no closing quote")


def _variable(line: str, position: int) -> tuple[str, int] | None:
    """The name after a $ and the position behind it; None if no name follows."""
    start = position + 1
    if line[start : start + 1] in ("?", "$", "#", "@", "*", "0"):
        return line[start], start + 1
    if line[start : start + 1] == "{":
        end = line.find("}", start)
        name = line[start + 1 : end]
        if end < 0 or not name or not all(char in _NAME for char in name):
            if name == "?":
                return "?", end + 1
            raise ShellSyntaxError("syntax error: bad substitution")
        return name, end + 1
    end = start
    while end < len(line) and line[end] in (_NAME if end > start else _NAME_START):
        end += 1
    return (line[start:end], end) if end > start else None
