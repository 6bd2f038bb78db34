"""The files of a served device: in memory, with a limit; no file of the machine is reachable through them."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

MAX_BYTES = 256 << 20
"""All files together."""
MAX_FILES = 20_000
MAX_PATH = 1024
MAX_NAME = 255

FOLDERS = (
    *(
        "/acct",
        "/data",
        "/data/app",
        "/data/data",
        "/data/local",
        "/data/local/tmp",
        "/dev",
        "/etc",
        "/mnt",
        "/proc",
        "/proc/net",
    ),
    *("/sdcard", "/sdcard/Android", "/sdcard/DCIM", "/sdcard/Download", "/sdcard/Documents", "/sdcard/Pictures"),
    *("/storage", "/system", "/system/bin", "/vendor"),
)
_ALIASES = ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard")


@dataclass(slots=True, eq=False)
class FileNode:
    """A file, a folder or a link. `load` gives the content of a file that is read from elsewhere."""

    mode: int
    time: int = 0
    content: bytearray = field(default_factory=bytearray)
    load: Callable[[], bytes] | None = None
    size_hint: int = 0
    is_removed: bool = False

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def size(self) -> int:
        return 4096 if self.is_folder else self.size_hint if self.load is not None else len(self.content)

    def read(self) -> bytes:
        """The content. A link's is the path it points to."""
        return self.load() if self.load is not None else bytes(self.content)


class MemoryFiles:
    """A tree of files. Its methods raise OSError with Android's words."""

    def __init__(self, now: Callable[[], int] = lambda: 0) -> None:
        self._now = now
        self._nodes: dict[str, FileNode] = {"/": FileNode(stat.S_IFDIR | 0o755)}
        self._used = 0
        for folder in FOLDERS:
            self._nodes[folder] = FileNode(stat.S_IFDIR | 0o771)

    def add_loaded(self, path: str, load: Callable[[], bytes], size: int) -> None:
        """Adds a file whose content is fetched when it is read, and the folders above it."""
        parts = path.split("/")
        for depth in range(2, len(parts)):
            self._nodes.setdefault("/".join(parts[:depth]), FileNode(stat.S_IFDIR | 0o771))
        self._nodes[path] = FileNode(stat.S_IFREG | 0o644, self._now(), load=load, size_hint=size)

    def path(self, path: str, folder: str = "/") -> str:
        """The absolute path without dots; `..` never leads above the root."""
        parts: list[str] = []
        for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
            if part == "..":
                parts[-1:] = []
            elif part not in ("", "."):
                parts.append(part)
        whole = "/" + "/".join(parts)
        for alias in _ALIASES:
            if whole == alias or whole.startswith(alias + "/"):
                return "/sdcard" + whole[len(alias) :]
        return whole

    def find(self, path: str, *, follows: bool = True) -> FileNode | None:
        """The node at an absolute path, or None; `follows` goes on to the target of a link."""
        node = self._nodes.get(path)
        for _ in range(8):
            if node is None or not follows or not stat.S_ISLNK(node.mode):
                return node
            path = self.path(node.content.decode("utf-8", "surrogateescape"), path.rpartition("/")[0])
            node = self._nodes.get(path)
        return None

    def file(self, path: str) -> FileNode:
        """The file at a path."""
        node = self.find(path)
        if node is None:
            raise FileNotFoundError(f"{path}: No such file or directory")
        if node.is_folder:
            raise IsADirectoryError(f"{path}: Is a directory")
        return node

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return self.file(path).read()

    def create(self, path: str, mode: int = 0o644, *, makes_folders: bool = False) -> FileNode:
        """An empty file in the place of an older one."""
        found = self._nodes.get(path)
        if path == "/" or (found is not None and found.is_folder):
            raise IsADirectoryError(f"{path}: Is a directory")
        parent = path.rpartition("/")[0] or "/"
        if makes_folders:
            self.make_folder(parent, parents=True)
        self._check_place(path, parent)
        if found is not None:
            self.remove(path)
        node = self._nodes[path] = FileNode(stat.S_IFREG | (mode & 0o777), self._now())
        return node

    def append(self, node: FileNode, data: bytes) -> None:
        """Adds bytes to a file. Raises OSError when the device is full, or the file was removed in the meantime."""
        if node.is_removed:
            raise FileNotFoundError("No such file or directory")
        if self._used + len(data) > MAX_BYTES:
            raise OSError("No space left on device")
        if node.load is not None:
            raise PermissionError("Read-only file system")
        self._used += len(data)
        node.content += data
        node.time = self._now()

    def write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """A file with this content."""
        self.append(self.create(path, mode), data)

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        node = self.create(path)
        self.append(node, target.encode("utf-8", "surrogateescape"))
        node.mode = stat.S_IFLNK | 0o777

    def make_folder(self, path: str, *, parents: bool = False) -> None:
        """A new folder; with `parents` those above it too, and none of them has to be new."""
        if len(path) > MAX_PATH:
            raise OSError(f"{path[:40]}: File name too long")
        found = self.find(path)
        if found is not None:
            if parents:
                if found.is_folder:
                    return
                raise NotADirectoryError(f"{path}: Not a directory")
            raise FileExistsError(f"{path}: File exists")
        parent = path.rpartition("/")[0] or "/"
        if parents:
            self.make_folder(parent, parents=True)
        self._check_place(path, parent)
        self._nodes[path] = FileNode(stat.S_IFDIR | 0o771, self._now())

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Removes a file, or with `recursive` a folder with all that is in it."""
        node = self._nodes.get(path)
        if node is None:
            raise FileNotFoundError(f"{path}: No such file or directory")
        if node.is_folder:
            if not recursive:
                raise IsADirectoryError(f"{path}: Is a directory")
            if path == "/":
                raise PermissionError(f"{path}: Permission denied")
            inside = [each for each in self._nodes if each.startswith(path + "/")]
            for each in inside:
                self._forget(each)
        self._forget(path)

    def _forget(self, path: str) -> None:
        node = self._nodes.pop(path)
        node.is_removed = True
        self._used -= len(node.content)

    def move(self, source: str, target: str) -> None:
        """Renames a file."""
        node = self.find(source, follows=False)
        if node is None:
            raise FileNotFoundError(f"{source}: No such file or directory")
        if node.is_folder:
            raise IsADirectoryError(f"{source}: Is a directory")
        if source == target:
            return
        self.create(target)
        del self._nodes[source]
        self._nodes[target] = node
        node.time = self._now()

    def listed(self, folder: str) -> Iterator[tuple[str, FileNode]]:
        """The names and nodes in a folder, sorted."""
        start = folder.rstrip("/") + "/"
        names = (path for path in self._nodes if path.startswith(start) and path != "/")
        for path in sorted(path for path in names if "/" not in path[len(start) :]):
            yield path[len(start) :], self._nodes[path]

    def _check_place(self, path: str, parent: str) -> None:
        if len(path) > MAX_PATH or any(len(part) > MAX_NAME for part in path.split("/")):
            raise OSError(f"{path[:60]}: File name too long")
        if "\0" in path:
            raise OSError("Invalid argument")
        above = self.find(parent)
        if above is None:
            raise FileNotFoundError(f"{path}: No such file or directory")
        if not above.is_folder:
            raise NotADirectoryError(f"{path}: Not a directory")
        if len(self._nodes) >= MAX_FILES:
            raise OSError("No space left on device")
