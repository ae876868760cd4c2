"""Secrets in a table of calls: which names say that a value is one, and texts without what they say is secret.

A name is compared without its case, blanks, hyphens and other marks. Within a text that is no JSON only what stands
behind such a name and `=` or `:` is seen; a secret that no name goes with is not.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from froude.base.errors import InputError
from froude.trace.importers.call_values import Cell, is_name, parse_json

_SUSPECT = re.compile(
    r"passw|passphrase|secret|privatekey|accesskey|credential|token|apikey|authori[sz]ation|cookie"
)
_MARK = re.compile(r"[\W_]+")
_SEPARATOR = re.compile(r"[=:]")
_NAME_BEFORE = re.compile(r"""([\w.-]+(?: [\w.-]+)?)[\\"']*\s*$""")
_VALUE_BEHIND = re.compile(
    r"""(\s*+\\*+)(?:["']([^"']++)|((?:(?:bearer|basic|digest|negotiate)\s++)?[^\s"',;&}\])]++))""",
    re.IGNORECASE,
)
_LONGEST_NAME = 64
_TEXTS_WITHIN = 2
"""JSON within the text of JSON that is still read as such."""
_NAME_KEYS = ("name", "key", "header", "property")
_VALUE_KEYS = ("value", "values", "val")


def is_secret(name: str) -> bool:
    """Whether what has this name, or a text that has such a name in it, may be a secret."""
    if name.isascii():
        return _SUSPECT.search(_MARK.sub("", name).lower()) is not None
    return _SUSPECT.search(_MARK.sub("", unicodedata.normalize("NFKC", name)).casefold()) is not None


class Masker:
    """Replaces secrets, equal ones by equal ones.

    Attributes:
        within_texts: how many texts a part was replaced in.
    """

    def __init__(self, stand_in: Callable[[str], str]) -> None:
        self.stand_in = stand_in
        self.within_texts = 0

    def value(self, value: Any, *, secret: bool = False, texts: int = 0) -> Any:
        """A value of any form without what the names in it say are secrets; its types stay.

        Args:
            value: texts, numbers, flags, and objects and lists of them.
            secret: whether all of it is one.
            texts: how many texts it stands within.
        """
        if isinstance(value, dict):
            hidden = secret_values(value)
            return {
                self.stand_in(name) if secret and not is_name(name) else name: self.value(
                    inner, secret=secret or name in hidden or is_secret(name), texts=texts
                )
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [self.value(inner, secret=secret, texts=texts) for inner in value]
        if not secret:
            return self.text(value, texts) if isinstance(value, str) else value
        if isinstance(value, Cell):
            value = value.guess()
        if isinstance(value, str):
            return self.stand_in(value)
        if isinstance(value, bool) or value is None:
            return value
        digest = hashlib.blake2b(self.stand_in(json.dumps(value)).encode(), digest_size=6).digest()
        number = int.from_bytes(digest)
        return float(number) if isinstance(value, float) else number

    def text(self, text: str, texts: int = 0) -> str:
        """A text without the secrets that names in it tell: in JSON, or behind `name=` or `name:`; linear.

        Args:
            texts: how many texts it stands within.
        """
        if not is_secret(text):
            return text
        masked = self._json(text, texts) if text.lstrip()[:1] in ("{", "[", '"') else None
        masked = self._behind_names(text) if masked is None else masked
        self.within_texts += masked != text
        return masked

    def _json(self, text: str, texts: int) -> str | None:
        if texts == _TEXTS_WITHIN:
            return None
        try:
            value = parse_json(text)
        except InputError:
            return None
        masked = self.value(value, texts=texts + 1)
        return text if masked == value else json.dumps(masked, ensure_ascii=False)

    def _behind_names(self, text: str) -> str:
        pieces: list[str] = []
        done = 0
        for separator in _SEPARATOR.finditer(text):
            if separator.start() < done:
                continue
            name = _NAME_BEFORE.search(text[max(done, separator.start() - _LONGEST_NAME) : separator.start()])
            if name is None or not is_secret(name[1]):
                continue
            value = _VALUE_BEHIND.match(text, separator.end())
            if value is None:
                continue
            group = 2 if value[2] is not None else 3
            pieces += [text[done : value.start(group)], self.stand_in(value[group])]
            done = value.end(group)
        return "".join([*pieces, text[done:]])


def secret_values(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the fields whose value is a secret since another field says so: `{"name": "password", "value": …}`."""
    for name, inner in value.items():
        if isinstance(inner, str) and name.lower() in _NAME_KEYS and is_secret(inner):
            return tuple(each for each in value if each.lower() in _VALUE_KEYS)
    return ()
