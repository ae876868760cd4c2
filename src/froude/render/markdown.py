"""The small Markdown of report prose: paragraphs, lists, bold, emphasis, code. Everything is escaped."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_CODE = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])")
_ITEM = re.compile(r"^\s*-\s+")


def literal(text: str) -> str:
    """A string from outside as code in Markdown: whatever it holds, it is shown and never interpreted."""
    flat = " ".join(text.split()) or " "
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def escaped(text: str) -> str:
    """A string as words in Markdown: what it holds is shown and neither interpreted nor taken for HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", " ".join(text.split()))


def to_html(markdown: str) -> Markup:
    """Blocks of Markdown as HTML: `<p>` and `<ul>`, all text escaped."""
    blocks = [block for block in re.split(r"\n\s*\n", markdown.strip()) if block.strip()]
    return Markup("\n").join(_block(block) for block in blocks)


def inline(markdown: str) -> Markup:
    """One run of Markdown as HTML without a block around it."""
    parts: list[Markup] = []
    at = 0
    for match in _CODE.finditer(markdown):
        parts.append(_styled(markdown[at : match.start()]))
        parts.append(Markup("<code>{}</code>").format(match[2].strip()))
        at = match.end()
    parts.append(_styled(markdown[at:]))
    return Markup("").join(parts)


def plain(markdown: str) -> str:
    """The words alone, for titles and alternative texts."""
    text = _CODE.sub(lambda match: match[2].strip(), markdown)
    return _EMPHASIS.sub(r"\1", _BOLD.sub(r"\1", text))


def _block(block: str) -> Markup:
    lines = block.strip().splitlines()
    if not all(_ITEM.match(line) or line.startswith("  ") for line in lines):
        return Markup("<p>{}</p>").format(inline(" ".join(line.strip() for line in lines)))
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line) or not items:
            items.append(_ITEM.sub("", line))
        else:
            items[-1] += " " + line.strip()
    return Markup("<ul>{}</ul>").format(
        Markup("").join(Markup("<li>{}</li>").format(inline(item)) for item in items)
    )


def _styled(text: str) -> Markup:
    safe = str(escape(text))
    safe = _BOLD.sub(r"<strong>\1</strong>", safe)
    return Markup(_EMPHASIS.sub(r"<em>\1</em>", safe))  # noqa: S704 - escaped above; only our tags are added
