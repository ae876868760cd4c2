"""The little Markdown of reports: styles what we write, shows what others wrote."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from froude.render.markdown import inline, literal, plain, to_html


def test_styles() -> None:
    """Bold, emphasis, code, lists and paragraphs."""
    assert str(inline("**a** *b* `c`")) == "<strong>a</strong> <em>b</em> <code>c</code>"
    assert str(to_html("one\ntwo\n\n- x\n- y\n  z")) == "<p>one two</p>\n<ul><li>x</li><li>y z</li></ul>"
    assert str(to_html("")) == ""
    assert plain("**a** *b* `c`") == "a b c"


def test_stars_of_paths_and_products_stay() -> None:
    """A star between words is a star."""
    assert str(inline("2*3*4 and /in/*")) == "2*3*4 and /in/*"


@given(st.text(min_size=1))
def test_literal_shows_any_string(text: str) -> None:
    """Whatever a trace holds, `literal` shows it as code: no tag but ours comes out."""
    printable = "".join(c for c in text if c.isprintable())
    fragment = html.fragment_fromstring(f"<div>{to_html('x ' + literal(printable))}</div>")
    assert {element.tag for element in fragment.iter()} <= {"div", "p", "code"}
    assert " ".join(fragment.text_content().split()) == " ".join(f"x {printable}".split())
