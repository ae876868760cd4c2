"""Files as they come out of editors, broken copies and hands: real bytes, with some of them changed."""

from __future__ import annotations

import re

from hypothesis import strategies as st

_PART = re.compile(rb'-?\d+|"[^"]*"|[{}\[\],:=]|\s+|[^\s"{}\[\],:=]+')
_NUMBERS = (
    *(b"9" * digits for digits in (16, 22, 100, 400)),
    *(b"-1", b"0.5", b"1e29", b"1e400", b"NaN", b"true"),
)
_ODD = (
    *_NUMBERS,
    *(b"0", b"9" * 5000, b"-Infinity", b"null", b"none", b"inf", b"1.5 E", b'""', b'"x"', b'"\\ud800"'),
    *(b"[]", b"{}", b'["x"]', b'{"a":1}', b"[" * 2000, b'{"a":' * 2000, b"PATHNAME", b"Avro-Json"),
    *(b"\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xd9\xa1", b"\xc2\xb2", b"\xe2\x80\xa8"),
)


@st.composite
def damaged(draw: st.DrawFn, *originals: bytes) -> bytes:
    """One of the originals, in which one to three words, signs or gaps are replaced, left out, repeated or cut off.

    Numbers, on which the most depends, are replaced the most.

    Args:
        draw: of hypothesis.
        originals: files that are read without an error.
    """
    parts = _PART.findall(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 3))):
        numbers = [at for at, part in enumerate(parts) if part.isdigit()]
        at = draw(st.integers(0, max(0, len(parts) - 1)))
        match draw(
            st.sampled_from(("number", "number", "number", "replace", "insert", "drop", "repeat", "cut"))
        ):
            case "number" if numbers:
                parts[draw(st.sampled_from(numbers))] = draw(st.sampled_from(_NUMBERS))
            case "drop":
                del parts[at : at + 1]
            case "repeat":
                parts[at:at] = parts[at : at + draw(st.integers(1, 12))]
            case "cut":
                del parts[at:]
            case how:
                parts[at : at + (how == "replace")] = [draw(st.sampled_from(_ODD) | st.binary(max_size=8))]
    return b"".join(parts)
