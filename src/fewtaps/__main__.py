"""`python -m fewtaps` is the command `fewtaps`."""

import sys

from fewtaps.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
