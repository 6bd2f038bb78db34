"""What killed processes leave behind is removed, and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fewtaps.temporary import make_folder, remove_folder, sweep

OWNER = """
from fewtaps.temporary import make_folder
folder = make_folder()
(folder / "in").mkdir()
(folder / "in" / "app.apk").write_bytes(b"PK")
print(folder, flush=True)
input()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def start_owner() -> tuple[subprocess.Popen[str], Path]:
    """Another process that has made a folder and lives."""
    process = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_live_one_is_not(temporary: Path) -> None:
    process, folder = start_owner()
    try:
        assert folder.parent == temporary
        assert sweep(temporary) == 0
        assert (folder / "in" / "app.apk").exists()
    finally:
        end(process)
    assert process.returncode == -signal.SIGKILL
    assert folder.exists()
    assert sweep(temporary) == 1
    assert not folder.exists()


def test_the_next_process_removes_what_a_killed_one_left(temporary: Path) -> None:
    first, left = start_owner()
    end(first)
    second, folder = start_owner()
    try:
        assert not left.exists()
        assert folder.exists()
    finally:
        end(second)


def test_a_forked_process_removes_what_a_killed_one_left(temporary: Path) -> None:
    remove_folder(make_folder())
    process, left = start_owner()
    end(process)
    child = os.fork()
    if child == 0:
        try:
            remove_folder(make_folder())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert not left.exists()


def test_a_process_that_ends_with_an_error_leaves_no_folder(temporary: Path) -> None:
    process, folder = start_owner()
    # The end of its input is an error of the program, outside of every `with` block.
    process.communicate()
    assert process.returncode == 1
    assert not folder.exists()


def test_a_forked_process_that_ends_leaves_the_folders_of_its_parent(temporary: Path) -> None:
    folder = make_folder()
    forking = f"{OWNER.replace('input()', '')}import os\nif os.fork():\n    os.wait()\n    print(folder.exists())\n"
    ended = subprocess.run([sys.executable, "-c", forking], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split()[1:] == ["True"]
    assert folder.exists()
    remove_folder(folder)


def test_our_own_folders_stay_until_we_remove_them(temporary: Path) -> None:
    folder = make_folder()
    assert sweep(temporary) == 0
    assert folder.exists()
    remove_folder(folder)
    remove_folder(folder)
    assert not folder.exists()


def test_what_is_not_ours_stays(temporary: Path) -> None:
    folder = temporary / "fewtaps-notes"
    folder.mkdir()
    (folder / "text").write_text("mine")
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "owner").touch()
    (temporary / "fewtaps-link").symlink_to(elsewhere)
    (temporary / "fewtaps-file").touch()
    assert sweep(temporary) == 0
    assert sorted(path.name for path in temporary.iterdir()) == [
        "elsewhere",
        "fewtaps-file",
        "fewtaps-link",
        "fewtaps-notes",
    ]
    assert (elsewhere / "owner").exists()


@pytest.mark.parametrize("content", [[], [".owner"]])
def test_a_folder_whose_maker_was_killed_before_it_owned_it_is_removed(temporary: Path, content: list[str]) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    folder = temporary / f"fewtaps-{gone.pid}-abc"
    folder.mkdir()
    for name in content:
        (folder / name).touch()
    living = temporary / f"fewtaps-{os.getpid()}-abc"
    living.mkdir()
    project = temporary / f"fewtaps-{gone.pid}-app"
    project.mkdir()
    (project / "fewtaps.db").touch()
    assert sweep(temporary) == 1
    assert sorted(temporary.iterdir()) == sorted([living, project])
