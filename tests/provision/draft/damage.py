"""Files as they come out of editors, broken copies and hands: real bytes, with some of them changed."""

from __future__ import annotations

import re

from hypothesis import strategies as st

_PART = re.compile(rb'-?\d+|"[^"]*"|[{}\[\],:=]|\s+|[^\s"{}\[\],:=]+')
_ODD = (
    *(b"9" * digits for digits in (19, 22, 100, 400, 5000)),
    *(
        b"-1",
        b"0",
        b"0.5",
        b"1e29",
        b"1e400",
        b"NaN",
        b"-Infinity",
        b"true",
        b"null",
        b"none",
        b"inf",
        b"1.5 E",
    ),
    *(b"[]", b"{}", b'["x"]', b'{"a":1}', b'""', b'"x"', b'"\\ud800"', b"[" * 2000, b'{"a":' * 2000),
    *(
        b"\n",
        b"\r",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xd9\xa1",
        b"\xc2\xb2",
        b"\xe2\x80\xa8",
        b"PATHNAME",
        b"Avro-Json",
    ),
)


@st.composite
def damaged(draw: st.DrawFn, *originals: bytes) -> bytes:
    """One of the originals, in which one to three words, signs or gaps are replaced, left out, repeated or cut off.

    Args:
        draw: of hypothesis.
        originals: files that are read without an error.
    """
    parts = _PART.findall(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(parts) - 1)))
        odd = st.sampled_from(_ODD) | st.binary(max_size=8)
        how = draw(st.sampled_from(("replace", "insert", "drop", "repeat", "cut")))
        if how == "cut":
            del parts[at:]
        elif how == "repeat":
            parts[at:at] = parts[at : at + draw(st.integers(1, 12))]
        else:
            parts[at : at + (how != "insert")] = [] if how == "drop" else [draw(odd)]
    return b"".join(parts)
