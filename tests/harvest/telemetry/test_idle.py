"""Utilisation from idle time, and times from days and clocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.columns import Style
from froude.base.errors import InputError
from froude.base.forms import Options
from froude.harvest.telemetry.samples import read_samples

HEAD = "Linux 5.15.0 (a) \t{day} \t_x86_64_\t(4 CPU)\n\n"
LINE = "{hour}  all  9.00  0.00  1.20  2.00  0.00  87.80\n"
TITLES = "{hour}  CPU  %user  %nice  %system  %iowait  %steal  %idle\n"
SOFT = "{hour}  CPU  total/s  dropd/s  squeezd/s  rx_rps/s  flw_lim/s  blg_len\n"
SADF = "# hostname;interval;timestamp;CPU;%idle\n"


def sar(day: str, *hours: str, titles: str = TITLES) -> str:
    """What sar prints."""
    return HEAD.format(day=day) + "".join(line.format(hour=hour) for hour in hours for line in (titles, LINE))


@pytest.mark.parametrize(
    ("text", "dates", "days"),
    [
        (sar("1970-01-03", "23:50:00", "00:00:00"), "", [2.99306, 3]),
        (sar("01/13/70", "00:00:00"), "", [12]),
        (sar("13/01/1970", "00:00:00"), "", [12]),
        (sar("01/03/1970", "12:00:00 AM"), "", [2]),
        (sar("01/13/70", "12:00:00 AM"), "", [12]),
        (sar("13/01/70", "12:00:00 AM"), "", [12]),
        (sar("1970年01月03日", "00:00:00"), "", [2]),
        (sar("1970/01/03", "00:00:00", titles=""), "", [2]),
        (sar("1970-01-03", "00:00:00").replace(".", ",") + "Moyenne :  all  9,00  0,00  1,20\n", "", [2]),
        (sar("1970-01-03", "00:00:00") + "00:00:01  LINUX RESTART\t(4 CPU)\n" + LINE.format(hour="00:10:00"), "",
         [2, 2.00694]),
        (sar("1970-01-03", "00:00:00") + (SOFT + LINE).format(hour="00:00:01"), "", [2]),
        (sar("03.01.1970", "00:00:00"), "%d.%m.%Y", [2]),
        (sar("1970-01-03", "23:50:00") + sar("1970-01-05", "00:10:00"), "", [2.99306, 4.00694]),
    ],
)  # fmt: skip
def test_days_of_sar(tmp_path: Path, text: str, dates: str, days: list[float]) -> None:
    """In the orders of several languages; a clock that begins again is of the next day."""
    (tmp_path / "sar.txt").write_text(text)
    found = read_samples([tmp_path / "sar.txt"], Options(style=Style(dates=dates)))
    assert (found.time_s / 86400).tolist() == pytest.approx(days, rel=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (sar("01/03/1970", "00:00:00"), "another day; found 01/03/1970. Say how"),
        (LINE.format(hour="00:00:00"), "no day above its first sample; found 00:00:00"),
        (sar("01/03/70", "12:00:00 AM"), "another day; found 01/03/70"),
        (sar("1970-01-03", "00:00:00", titles=SOFT), "no sample of all processors"),
        (
            sar("1970-01-03", "00:00:00")
            + sar("1970-01-03", "00:00:00").replace("(a)", "(b)").replace("all", "0"),
            "the processors of a server apart; found 0 of b",
        ),
        (sar("1970-01-03", "25:00:00"), "not of a time; found 1970-01-03 25:00:00"),
        (HEAD.format(day="1970-01-03"), "no sample of all processors"),
        (sar("1970-01-03", "00:00:00")[:-7], "no sample of all processors"),
        (
            f"{SADF}a;6;1970-01-01 00:01:00;0;7\na;6;1970-01-01 00:01:00;1;7\n",
            "the processors of a server apart; found 0, 1 of a. Keep the rows of all",
        ),
        (f"{SADF}a;6;1970-01-01 00:01:00;0;7\n", "the processors of a server apart; found 0 of a"),
        (
            f"{SADF}a;6;1970-01-01 00:01:00;-1;7\nb;6;1970-01-01 00:01:00;0;7\n",
            "the processors of a server apart; found 0 of b",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With what to do."""
    (tmp_path / "sar.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_samples([tmp_path / "sar.txt"], Options())


@pytest.mark.parametrize(
    ("idle", "busy"), [("99.95", 0), ("99.96", 0), ("99.97", -0.0002), ("99.90", 0.0005)]
)
def test_what_is_not_idle_is_rounded(idle: str, busy: float, tmp_path: Path) -> None:
    """Idle time and waiting are rounded each: together they may be a little above 100 %."""
    (tmp_path / "sar.txt").write_text(
        sar("1970-01-03", "00:00:00").replace("2.00", "0.05").replace("87.80", idle)
    )
    path = tmp_path / "sar.txt"
    if busy < 0:
        with pytest.raises(InputError, match="below 0"):
            read_samples([path], Options())
    else:
        assert read_samples([path], Options()).share.tolist() == pytest.approx([busy], abs=1e-9)
