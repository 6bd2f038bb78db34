"""`python -m fewtaps` is the command `fewtaps`; both begin here."""

import sys


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
            " installation, or install it again\n"
        )
        return 70
    return main()


if __name__ == "__main__":
    sys.exit(start())
