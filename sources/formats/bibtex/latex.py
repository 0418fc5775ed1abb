"""LaTeX in the text fields of BibTeX, to plain text: accents, symbols, dashes and quotes; what is unknown stays."""

import re
import unicodedata

# A command keeps no blank after it (TeXbook, chapter 7). Every alternative begins with another character, none can
# match empty, so the pass over a text is linear; nesting is a counter, so no depth is too deep.
_TOKEN = re.compile(r"\\([A-Za-z]+)\*?[ \t]*|\\(.)|([{}$])|(-{2,3}|``|''|~)|([_^])(\{[0-9+-]{1,9}\}|[0-9])", re.DOTALL)
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331",
}  # fmt: skip
_SYMBOLS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
    "NG": "Ŋ", "S": "§", "P": "¶", "pounds": "£", "euro": "€", "texteuro": "€", "copyright": "©", "dag": "†",
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“",
    "textquotedblright": "”", "textquotesingle": "'", "textquotedbl": '"', "guillemotleft": "«", "guillemotright": "»",
    "textless": "<", "textgreater": ">", "textbar": "|", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textunderscore": "_", "textbraceleft": "{", "textbraceright": "}", "textdollar": "$",
    "textdegree": "°", "textregistered": "®", "texttrademark": "™", "textellipsis": "…", "ldots": "…", "dots": "…",
    "textbullet": "•", "textinterrobang": "‽", "textinterrobangdown": "⸘", "textexclamdown": "¡",
    "textquestiondown": "¿", "textmu": "µ", "textsterling": "£", "textonehalf": "½", "slash": "/", "backslash": "\\",
    "times": "×", "pm": "±", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "approx": "≈",
    "sim": "∼", "infty": "∞", "to": "→", "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "in": "∈",
    "sum": "∑", "int": "∫", "partial": "∂", "nabla": "∇", "sqrt": "√", "circ": "°", "degree": "°", "prime": "′",
    "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX", "quad": " ", "qquad": " ", "space": " ", "newline": " ",
    "par": "\n\n", "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varsigma": "ς",
}  # fmt: skip
_GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lamda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"
]  # fmt: skip
for _name in _GREEK:
    _command = _name.replace("lamda", "lambda")
    _SYMBOLS[_command] = unicodedata.lookup(f"GREEK SMALL LETTER {_name.upper()}")
    _SYMBOLS[_command.capitalize()] = unicodedata.lookup(f"GREEK CAPITAL LETTER {_name.upper()}")
# Commands that only dress their argument.
_DRESS = frozenset(
    {"emph", "textit", "textbf", "textrm", "textsf", "texttt", "textsc", "textsl", "textup", "textmd", "textnormal",
     "text", "mathrm", "mathit", "mathbf", "mathsf", "mathcal", "mathbb", "mathfrak", "ensuremath", "mbox", "hbox",
     "underline", "uppercase", "lowercase", "textsuperscript", "textsubscript", "url", "path", "nolinkurl", "em",
     "it", "bf", "rm", "sf", "tt", "sc", "sl", "bfseries", "itshape", "scshape", "upshape", "normalfont",
     "noopsort", "protect", "relax", "enquote", "mkbibquote", "mkbibemph", "mkbibitalic", "mkbibbold",
     "displaystyle", "left", "right", "textquote", "nocase", "bibstring", "acro", "MakeLowercase"}
)  # fmt: skip
_SINGLE = {"&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", "\\": " ", "/": "", "-": "",
           ",": "\u2009", ";": " ", ":": " ", "!": "", "@": "", "\n": " ", "(": "", ")": "", "[": "",
           "]": ""}  # fmt: skip
_PLAIN = {"---": "—", "--": "–", "``": "“", "''": "”", "~": "\u00a0"}
_SUPER = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_SUB = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_NEEDS_WORK = re.compile(r"[\\{}$~]|--|``|''")
_IN_ADDRESS = re.compile(
    r"\\([%&#_$~{}^])|\{\\(?:textasciitilde|string~?|tilde)\s*(?:\{\})?\}|\\textasciitilde\s*(?:\{\})?"
    r"|\$\\sim\$|\{\\_\}|\$([<>])\$|\\textless\s*(?:\{\})?|\\textgreater\s*(?:\{\})?|[{}]"
)


def plain(text: str) -> str:
    """`text` without LaTeX: accents composed, braces gone, commands for symbols replaced, unknown commands left."""
    if not _NEEDS_WORK.search(text):
        return text
    out: list[str] = []
    at, accent, is_math, depth, hidden_at = 0, "", False, 0, -1
    wants_hiding = False

    def put(piece: str) -> None:
        nonlocal accent
        if not piece or hidden_at >= 0:
            return
        if accent:
            if not piece[0].isalpha():
                out.append(piece)
                return
            first = {"ı": "i", "ȷ": "j"}.get(piece[0], piece[0])
            piece, accent = unicodedata.normalize("NFC", first + accent) + piece[1:], ""
        out.append(piece)

    for found in _TOKEN.finditer(text):
        put(text[at : found.start()])
        at = found.end()
        word, single, brace, dash, script, scripted = found.groups()
        if word is not None:
            if word in _ACCENTS:
                accent = _ACCENTS[word]
            elif word in _SYMBOLS:
                put(_SYMBOLS[word])
            elif word == "href":
                wants_hiding = True
            elif word not in _DRESS:
                put(f"{found[0].rstrip()} ")
        elif single is not None:
            if single in _SINGLE:
                put(_SINGLE[single])
            elif single in _ACCENTS:
                accent = _ACCENTS[single]
            else:
                put(found[0])
        elif brace is not None:
            if brace == "{":
                if wants_hiding:
                    wants_hiding, hidden_at = False, depth
                depth += 1
            elif brace == "}":
                depth = max(depth - 1, 0)
                accent = ""
                if depth <= hidden_at:
                    hidden_at = -1
            else:
                is_math = not is_math
        elif dash is not None:
            put(_PLAIN[dash])
        elif is_math:
            put(scripted.strip("{}").translate(_SUPER if script == "^" else _SUB))
        else:
            put(script + scripted.strip("{}"))
    put(text[at:])
    return "".join(out)


def verbatim(text: str) -> str:
    """`text` of an address or identifier: only what LaTeX forces authors to escape is undone, all else stays."""
    bare = text.strip()
    if bare.startswith("\\url"):
        bare = bare[4:].strip()
    if not any(mark in bare for mark in "\\{}$"):
        return bare
    return _IN_ADDRESS.sub(_unescaped, bare)


def _unescaped(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return found[1] or found[2]
    written = found[0]
    if "less" in written or "greater" in written:
        return "<" if "less" in written else ">"
    if written in "{}":
        return ""
    return "_" if written == "{\\_}" else "~"
