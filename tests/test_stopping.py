"""Work that is called off: in its own thread, and nowhere else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from fewtaps.stopping import check_stop, stopped_by


def test_waits_end_within_the_block_alone_and_when_the_signal_says_so() -> None:
    is_called_off = False
    with stopped_by(lambda: is_called_off):
        check_stop()
        is_called_off = True
        with pytest.raises(KeyboardInterrupt):
            check_stop()
        with stopped_by(lambda: False):
            check_stop()
        with pytest.raises(KeyboardInterrupt):
            check_stop()
    check_stop()


def test_the_work_of_other_threads_goes_on() -> None:
    with stopped_by(lambda: True), ThreadPoolExecutor(1) as other:
        other.submit(check_stop).result()
