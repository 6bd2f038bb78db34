"""`python -m fewtaps` is the command `fewtaps`; both begin here."""

import os
import sys
import tempfile
import traceback


def _keep(error: Exception) -> str:
    """Writes the traceback into a file, if it can; words that say where it is."""
    try:
        # What fewtaps itself uses for that may be what cannot be loaded.
        with tempfile.NamedTemporaryFile(
            "w", prefix="fewtaps-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(f"Python {sys.version}, {sys.executable}, {os.path.dirname(__file__)}\n")
            traceback.print_exception(error, file=file)
    except OSError:
        traceback.print_exception(error)
        return "the traceback above"
    return f"the file {file.name}, which has the traceback"


def start() -> int:
    """Runs the command and returns its exit code, also where fewtaps itself cannot be loaded.

    Python alone would show a traceback and exit with 1, which says that a crash was found.
    """
    try:
        from fewtaps.cli.main import main
    except KeyboardInterrupt:
        sys.stderr.write("fewtaps: interrupted\n")
        return 130
    except Exception as error:  # noqa: BLE001 - whatever it is, it says nothing about an app
        # A compiled module that was cut short ends in an EOFError.
        sys.stderr.write(
            f"fewtaps: cannot be loaded ({type(error).__name__}: {error}); remove the folders __pycache__ of this"
            f" installation, or install it again; if that does not help, please report it with {_keep(error)}\n"
        )
        return 70
    return main()


if __name__ == "__main__":
    sys.exit(start())
