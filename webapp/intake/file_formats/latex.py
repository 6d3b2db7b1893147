"""Text as BibTeX has it, with commands of LaTeX: letters with accents, signs, formulas, addresses.

Source: The LaTeX Companion, 3rd edition; the commands that Zotero, JabRef and Mendeley write.
"""

import unicodedata

import regex

from webapp.intake.file_formats.prose import line

# Commands of accents -> the character that combines with the letter before it
_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
    "t": "\u0361",
}
_MOST_ACCENTS = 2  # of a letter, as Vietnamese has them: \'{\^e}
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å",
    "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "th": "þ", "TH": "Þ", "dh": "ð", "DH": "Ð", "dj": "đ",
    "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip
_UNDOTTED = {"i": "i", "j": "j"}  # below an accent, which stands for the dot
_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi"
        " omicron pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta"
        " Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(),
        "αβγδεεζηθθικλμνξοππρρσςτυφφχψωΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)
_SIGNS = {
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotesingle": "'", "textquotedbl": '"', "textquotedblleft": "“", "textquotedblright": "”",
    "quotedblbase": "„", "quotesinglbase": "‚", "guillemotleft": "«", "guillemotright": "»",
    "guilsinglleft": "‹", "guilsinglright": "›", "dots": "…", "ldots": "…", "cdots": "…",
    "textellipsis": "…", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
    "textunderscore": "_", "textless": "<", "textgreater": ">", "textbar": "|", "textbullet": "•",
    "textperiodcentered": "·", "textdegree": "°", "degree": "°", "copyright": "©",
    "textcopyright": "©", "textregistered": "®", "texttrademark": "™", "pounds": "£",
    "textsterling": "£", "euro": "€", "texteuro": "€", "S": "§", "P": "¶", "dag": "†", "ddag": "‡",
    "textmu": "µ", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "cdot": "·", "circ": "∘",
    "ast": "∗", "bullet": "•", "prime": "′", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥",
    "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠", "ll": "≪", "gg": "≫", "sim": "∼",
    "simeq": "≃", "approx": "≈", "equiv": "≡", "propto": "∝", "infty": "∞", "to": "→",
    "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "mapsto": "↦",
    "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩",
    "emptyset": "∅", "forall": "∀", "exists": "∃", "neg": "¬", "wedge": "∧", "vee": "∨", "sum": "∑",
    "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇", "sqrt": "√", "ell": "ℓ", "hbar": "ℏ",
    "mid": "|", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "slash": "/",
}  # fmt: skip
# Commands that change how letters look, and stand for none
_LOOKS = set(
    "bf it em rm sc sl tt sf bfseries itshape slshape scshape upshape mdseries rmfamily sffamily"
    " ttfamily normalfont tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge"
    " left right big Big bigl bigr displaystyle textstyle limits".split()
)
_APART = {"footnote", "thanks"}  # what they enclose does not belong to the word before it
_SPACES = {*" \n\t,;:\\", ">"}  # behind a backslash; `\\` ends a line
_NOTHING = set("-/!@()[]")  # behind a backslash: where a word may be broken, ends of formulas
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")

# Behind a command that is a letter stands no other letter: \c c and \c{c}, but not \cite
_ACCENTED = regex.compile(
    r"\\(?P<accent>[`'^\"~=.]|[uvHckbdrt](?![A-Za-z]))\s*+\{?+\s*+"
    rf"(?:\\(?P<name>{'|'.join(_LETTERS)})(?![A-Za-z])\s*+(?:\{{\}})?|(?P<letter>\p{{L}}\p{{M}}*))"
)
# How a formula begins and ends, by which it is told from sums of money and names (US$, A$AP): with
# markup or a sign; without spaces; or with neither a letter nor a digit beside it, and with an
# operator where it begins with a digit
_FORMULA = r"""
    \${1,2}[\\^_<>=+{]
    | (?<!\p{L})\${1,2}[^\s$]++\${1,2}(?!\d)
    | (?<![\p{L}\d])\${1,2}(?!\d[^\\^_=<>+*/|$]*+\$)(?:[^$\\]|\\.)++\${1,2}(?![\p{L}\d])
"""
_WRITTEN = regex.compile(
    r"""\\(?:url|path|nolinkurl)\s*+\{(?P<address>[^{}]*+)\}
    # Keys, which nobody reads, and the address of a link, whose text follows
    | \\(?:cite[a-z]*+|[a-z]*ref|label)\*?\s*+(?:\[[^][]*+\]\s*+)*+\{[^{}]*+\}
    | \\(?P<command>[A-Za-z]++)\*?(?P<space>\s*+)(?:\{\}|(?P<encloses>(?=\{)))?
    | \\(?P<sign>.)
    | (?="""
    + _FORMULA
    + r""")\${1,2}(?=\S)(?P<formula>(?:[^$\\]|\\.)++)(?<=\S)\${1,2}
    | (?P<layout>---?|``|''|[~{}])""",
    regex.VERBOSE | regex.DOTALL,
)
_LAYOUT = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " ", "{": "", "}": ""}
_FRACTION = regex.compile(r"\\[dt]?frac\s*+\{([^{}]*+)\}\s*+\{([^{}]*+)\}")
_DEGREES = regex.compile(r"\^\s*+(?:\{\s*+\\circ\s*+\}|\\circ(?![A-Za-z]))")
_POWER = regex.compile(r"\^\s*+(?:\{\s*+([-+−]?\d{1,20}+)\s*+\}|(\d))")
# As in 19^{th}
_ENDING = regex.compile(r"\^\s*+\{\s*+(?:\\[a-z]++\s*+\{\s*+)?(?=\p{L}{2,4}+\s*+\})")
_LOWERED = regex.compile(r"_(?=\s*+[\w{\\])")
_LINK = regex.compile(r"\\(?:url|path|nolinkurl|href)\s*+\{([^{}]*+)\}(?:\{[^{}]*+\})?")
_ESCAPED = regex.compile(r"\\([&%$_#~{}])(?:\{\})?")


def plain_text(value: str) -> str:
    """What a value says, on one line: accents on their letters, signs for their commands, formulas
    without the marks around them, and no braces."""
    for _ in range(_MOST_ACCENTS):
        value = _ACCENTED.sub(_add_accent, value)
    return line(_WRITTEN.sub(_read_markup, value))


def plain_address(value: str) -> str:
    """What a value says that is an address or an identifier: “~”, “--” and “_” are themselves."""
    written = _LINK.sub(r"\1", value)
    return line(_ESCAPED.sub(r"\1", written).replace("{", "").replace("}", ""))


def _add_accent(match: regex.Match) -> str:
    name = match["name"]
    letters = match["letter"] or _UNDOTTED.get(name) or _LETTERS[name]
    return unicodedata.normalize("NFC", letters + _ACCENTS[match["accent"]])


def _read_markup(match: regex.Match) -> str:
    """What a command, a formula or a mark stands for, in a text."""
    if match["address"] is not None:
        return plain_address(match["address"])
    if match["formula"] is not None:
        return _read_formula(match["formula"])
    if match["layout"] is not None:
        return _LAYOUT[match["layout"]]
    if match["sign"] is not None:
        return _read_sign(match["sign"])
    if match["command"] is None:
        return ""
    return _read_command(match, unknown=" ")


def _read_in_formula(match: regex.Match) -> str:
    """The same within a formula, where a command that is not known is the name of a function."""
    command = match["command"]
    if command is None or command.startswith(("math", "text")):
        return _read_markup(match)
    return _read_command(match, unknown=f" {command} ")


def _read_command(match: regex.Match, unknown: str) -> str:
    """unknown: what is read for a command that is not known and encloses nothing."""
    command = match["command"]
    if command in _LETTERS:
        return _LETTERS[command]
    space = " " if match["space"] else ""
    if command in _GREEK:
        return _GREEK[command] + space
    if command in _SIGNS:
        return _SIGNS[command] + space
    if command in _APART:
        return " "
    encloses = match["encloses"] is not None
    return "" if encloses or command in _LOOKS else unknown


def _read_sign(sign: str) -> str:
    if sign in _SPACES:
        return " "
    return "" if sign in _NOTHING else sign


def _read_formula(formula: str) -> str:
    formula = _FRACTION.sub(r"\1/\2", formula)
    formula = _DEGREES.sub("°", formula)
    formula = _POWER.sub(_raise_digits, formula)
    formula = _ENDING.sub("{", formula)
    formula = _LOWERED.sub("", formula)
    return _WRITTEN.sub(_read_in_formula, formula)


def _raise_digits(match: regex.Match) -> str:
    return (match[1] or match[2]).translate(_RAISED)
