"""Calls of one method about different files: `create` of a lock, and `create` of a result.

A program calls the same methods for different purposes. Where the wordings of the paths, their numbers aside, are few,
a token may carry one as its kind, as a regular expression. Such a pattern is used where it is shorter than one of the
methods alone; whoever parses by it has to give the calls the labels of its tokens (`Reading`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache

from froude.mining.read.canonical import Logical, Token
from froude.mining.read.knowledge import PATH
from froude.mining.read.senders import Sender
from froude.mining.shape.alignment import Pattern
from froude.mining.shape.parse import Automaton, Parse
from froude.mining.shape.segments import Loop

_MARK = f"{PATH}="
"""What the label in a token begins with; a kind of an element of a batch does not."""
_CHANGING = re.compile(r"[0-9a-f]*[0-9][0-9a-f]*")
"""A number, or what is made of hexadecimal digits."""
_MOST = 6
"""Wordings of the paths of one method that are labels; of more, none is."""

Labels = Mapping[tuple[str, str], Sequence[str]]
"""By protocol and method: regular expressions of paths, of which the first that matches is a call's label."""


def labels_of(senders: Iterable[Sender]) -> Labels:
    """Labels of the calls of some senders, of methods whose paths have a few wordings in more than one."""
    labels: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sender in senders:
        for call in sender.own:
            path = call.request.get(PATH)
            if isinstance(path, str) and not call.token[2]:
                labels[call.token[:2]].add(label(worded(path)))
    return {method: sorted(each) for method, each in labels.items() if 1 < len(each) <= _MOST}


@lru_cache(maxsize=1 << 14)
def worded(path: str) -> str:
    """A regular expression of paths that differ from one in their numbers alone."""
    return "[0-9a-z]+".join(map(re.escape, _CHANGING.split(path)))


def label(path: str) -> str:
    """The label of calls about paths that a regular expression matches."""
    return _MARK + path


def spelled(calls: Iterable[Logical], labels: Labels) -> tuple[Token, ...]:
    """The tokens of calls, with labels where there are some; a path that none matches leaves its token as it is."""
    return tuple(_spelled(call, labels) for call in calls)


def _spelled(call: Logical, labels: Labels) -> Token:
    protocol, method, kind = call.token
    path = call.request.get(PATH)
    known = labels.get((protocol, method), ()) if isinstance(path, str) else ()
    return protocol, method, next((each for each in known if _matches(each, path)), kind)


@lru_cache(maxsize=1 << 16)
def _matches(label: str, path: str) -> bool:
    return re.fullmatch(label.removeprefix(_MARK), path) is not None


def plain(token: Hashable) -> Hashable:
    """A token without its label."""
    labelled = isinstance(token, tuple) and len(token) > 2 and token[2].startswith(_MARK)
    return (*token[:2], "") if labelled and isinstance(token, tuple) else token


class Reading:
    """Parses senders by a pattern whose tokens may carry labels."""

    def __init__(self, pattern: Pattern) -> None:
        self.automaton = Automaton(pattern)
        labels: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for token in self.automaton.tokens:
            if isinstance(token, tuple) and plain(token) != token:
                labels[token[:2]][token[2]] = None
        self.labels: Labels = {method: sorted(each, key=len, reverse=True) for method, each in labels.items()}
        self._plain = Automaton(_plain(pattern)) if labels else self.automaton
        self._parses: dict[tuple[tuple[Token, ...], bool], Parse | None] = {}

    def parse(self, sender: Sender, *, exact: bool = False) -> Parse | None:
        """The cheapest parse; by methods alone where none with labels is exact.

        Args:
            exact: give up, and return None, where a call is extra or missing.
        """
        words = spelled(sender.own, self.labels) if self.labels else sender.tokens
        if (words, exact) not in self._parses:
            parse = self.automaton.parse(words, exact=True) or self._plain.parse(sender.tokens, exact=True)
            self._parses[words, exact] = parse if parse or exact else self._plain.parse(sender.tokens)
        return self._parses[words, exact]


def _plain(pattern: Pattern) -> Pattern:
    return tuple(Loop(_plain(item.body)) if isinstance(item, Loop) else plain(item) for item in pattern)
