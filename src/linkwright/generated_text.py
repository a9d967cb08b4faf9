"""Texts and names inside files that are made for other programs: C, Python, HTML and scripts.

A mechanism's file may come from anywhere, and its names may hold any printable character. Whatever writes one into code
or a page does so by a function of this module, so that a name stays a name. XML is written by `formats.xml`, YAML by
`formats.yaml.yaml_text`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from linkwright.version import __version__

# Keywords of C and C++, and what math.h, stdio.h and compilers declare or define under short names.
_RESERVED = re.compile(
    "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|"
    "restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|main|given|"
    "expected|a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(10|1p|2|b)?|pow|sqrt|cbrt|hypot|f(abs|dim|ma|max|min|mod)|ceil|"
    "floor|trunc|(l?l)?r(int|ound)|nearbyint|remainder|remquo|copysign|nan|next(after|toward)|ldexp|frexp|scalbl?n|modf|"
    "ilogb|erfc?|[lt]?gamma|[jy][01n]|signgam|printf|puts|remove|rename|f?(open|close|read|write|seek|tell|flush)|"
    "and(_eq)?|alignas|alignof|asm|bit(and|or)|bool|catch|char(8|16|32)_t|class|compl|concept|const(eval|expr|init)|"
    "const_cast|co_(await|return|yield)|decltype|delete|dynamic_cast|explicit|export|false|friend|mutable|namespace|new|"
    "noexcept|not(_eq)?|nullptr|operator|or(_eq)?|private|protected|public|reinterpret_cast|requires|static_(assert|cast)|"
    "template|this|thread_local|throw|true|try|typeid|typename|typeof(_unqual)?|using|virtual|wchar_t|xor(_eq)?|"
    "linux|unix|i386|near|far|NULL|EOF|BUFSIZ|FILE|NAN|INFINITY|OVERFLOW|UNDERFLOW|DOMAIN|SING|[TP]?LOSS|X_TLOSS|"
    "std(in|out|err)|((HUGE|M|FP|MATH|L_tmpnam|SEEK|TMP|FILENAME|FOPEN)(_[A-Za-z0-9_]*)?)|math_errhandling|errno"
)
_LONGEST = 100  # characters of an identifier: files are named after some, and compilers bound them

# Where a space keeps two characters of a comment from meaning something: its end, another beginning, a trigraph.
_MEANING_IN_COMMENTS = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)")


def c_identifier(name: str, longest: int = _LONGEST) -> str:
    """A valid identifier of C and C++, also for file names and nodes of ROS, of at most so many characters.

    >>> c_identifier("five-bar"), c_identifier("3-rrr"), c_identifier("double")
    ('five_bar', 'lw_3_rrr', 'lw_double')
    """
    clean = re.sub(r"[^0-9A-Za-z_]", "_", name)[:longest]
    return clean if clean[:1].isalpha() and not _RESERVED.fullmatch(clean) else f"lw_{clean}"[:longest]


def unique_c_identifiers(names: Sequence[str], longest: int = _LONGEST) -> tuple[str, ...]:
    """Valid identifiers, no two of them equal.

    >>> unique_c_identifiers(["a b", "a-b", "a_b_2"])
    ('a_b', 'a_b_2', 'a_b_2_2')
    """
    out: dict[str, None] = {}
    for name in names:
        base, number = c_identifier(name, longest), 1
        found = base
        while found in out:
            number += 1
            found = f"{base}_{number}"
        out[found] = None
    return tuple(out)


def c_comment(text: str) -> str:
    """A text that stays inside a comment of C, on its line.

    >>> c_comment("a */ int x; /* b"), c_comment("why???/"), c_comment("m/s * 2")
    ('a * / int x; / * b', 'why? ? ?/', 'm/s * 2')
    """
    return _MEANING_IN_COMMENTS.sub(" ", on_one_line(text).replace("\\", "/"))


def python_docstring(text: str) -> str:
    """A text that stays inside a string of Python between three double quotes, on its line."""
    return on_one_line(text).replace("\\", "/").replace('"', "'")


def on_one_line(text: str) -> str:
    """A text with a question mark in place of line ends, control characters and marks of direction."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def html_text(text: str) -> str:
    """A text in an element or in a quoted attribute of HTML and SVG.

    >>> html_text('<b> & "x"')
    '&lt;b&gt; &amp; &quot;x&quot;'
    """
    return html.escape(text, quote=True)


def html_page(title: str, style: str, body: str, scripts: Sequence[str] = (), computes: bool = False) -> str:
    """A page around a body that is HTML already, with the content security policy that all our pages have.

    The page runs these scripts, which its body holds, uses this style, shows pictures of its own, compiles WebAssembly
    where it `computes`, and does nothing else.
    """
    rules = ["default-src 'none'"]
    allowed = [f"'{policy_digest(script)}'" for script in scripts] + ["'wasm-unsafe-eval'"] * computes
    rules += ["script-src " + " ".join(allowed)] if scripts else []
    rules += [f"style-src '{policy_digest(style)}'", "img-src data: blob:", "connect-src 'none'"]
    policy = "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="linkwright {html_text(__version__)}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html_text(policy)}">\n'
        f"<title>{html_text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def policy_digest(text: str) -> str:
    """The hash by which a content security policy names a text.

    >>> policy_digest("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def script_json(data: Any) -> str:
    r"""JSON that is safe inside a script element: no `<`, `>` or `&`, no line separators; not-a-numbers become null.

    >>> script_json({"name": "</script>", "x": float("nan")})
    '{"name":"\\u003c/script\\u003e","x":null}'
    """
    text = json.dumps(_replace_nonfinite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _replace_nonfinite(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _replace_nonfinite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_replace_nonfinite(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def fill_template(template: str, parts: Mapping[str, str]) -> str:
    """A template with every @key@ replaced by its part; what looks like a key inside a part stays as it is.

    >>> fill_template("@a@ and @b@", {"a": "@b@", "b": "2"})
    '@b@ and 2'
    """
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], template)
