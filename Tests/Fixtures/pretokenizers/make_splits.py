#!/usr/bin/env python3
"""Writes splits.json: random texts cut by the published pre-tokenizer expressions.

usage: make_splits.py [texts per pre-tokenizer] [seed]

Needs the `regex` package. Only code points whose category is the same in Python's own (older)
Unicode data are used, so that the version of Unicode does not matter.
"""
import json
import os
import random
import sys
import unicodedata

import regex

WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
ANY_CASE = r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"


def with_lines(digits, letter=r"\p{L}"):
    return [
        ANY_CASE + r"|[^\r\n\p{L}\p{N}]?[" + letter + r"]+|" + digits
        + r"| ?[^\s\p{N}" + letter + r"]+[\r\n]*|" + LINES
    ]


def cased(suffix, digits):
    upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    head = r"[^\r\n\p{L}\p{N}]?"
    return [
        f"{head}{upper}*{lower}+{suffix}|{head}{upper}+{lower}*{suffix}|{digits}"
        + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + LINES
    ]


# Cased letters as DeepSeek LLM lists them.
CASED = """41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386
388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF
1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D
1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4
1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139 213C-213F
2145-2149 214E 2183 2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 A640-A66D A680-A69B A722-A76F
A771-A787 A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3
104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943"""
CASED = "".join("-".join(chr(int(end, 16)) for end in part.split("-")) for part in CASED.split())
HAN_AND_HANGUL = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
STOPS = r"[^(\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"
DEEPSEEK_V3 = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    + r"| ?[\p{P}\p{S}]+[\r\n]*|" + LINES
)

EXPRESSIONS = {
    "gpt-2": [WORDS],
    "llama-bpe": with_lines(r"\p{N}{1,3}"),
    "qwen2": with_lines(r"\p{N}"),
    "qwen35": with_lines(r"\p{N}", r"\p{L}\p{M}"),
    "smollm": [r"\p{N}", WORDS],
    "default": [r"[\p{P}\$\+<=>\^~\|]+", WORDS, r"\p{N}+", "[0-9][0-9][0-9]"],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", WORDS, "[0-9][0-9][0-9]"],
    "deepseek-llm": [
        r"[\r\n]", r"\s?[" + CASED + "]+",
        r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", r"\s+\Z",
        HAN_AND_HANGUL, r"\p{N}+",
    ],
    "deepseek-coder": [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", HAN_AND_HANGUL, r"\p{N}"],
    "deepseek-v3": [r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK_V3],
    "gpt-4o": cased("(?:" + ANY_CASE + ")?", r"\p{N}{1,3}"),
    "tekken": cased("", r"\p{N}"),
    "bloom": [" ?" + STOPS],
    "viking": [" ?" + STOPS, r"\p{N}"],
}


def split(expressions, text):
    pieces = [text]
    for expression in expressions:
        cut = []
        for piece in pieces:
            position = 0
            for match in regex.finditer(expression, piece):
                if match.start() > position:
                    cut.append(piece[position:match.start()])
                if match.group():
                    cut.append(match.group())
                position = match.end()
            if position < len(piece):
                cut.append(piece[position:])
        pieces = cut
    return pieces


def by_category():
    found = {}
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category in ("Cs", "Cn"):
            continue
        if regex.fullmatch(r"\p{" + category + "}", chr(code)):
            found.setdefault(category, []).append(chr(code))
    return found


CATEGORIES = by_category()
COMMON = [
    "abcdefgXYZ", "aB", "0123456789", "     ", "   ", "\n\r", "\t\x0b\x0c \n", "'''''", "stmdrevlSTMDREVL",
    "!?.,:;-_/\\()[]{}<>=+*&^%$#@~|`\"", "\u4e2d\u6587\u9fa5\u9fa6", "\u3042\u30a2\u30fc", "\ud55c\uae00",
    "\u0301\u0300\u093f", "\u00a0\u3000\u2028\u2029\u0085\u2003", "\uff01\uff21\u3001\u3002\u2018",
    "\u00e9\u00df\u0130\u01c5\u10d0\u1c90\u2d00\u02b0\u00aa\u0295", "\u0664\u00bd\u2167\u00b2\uff13",
    "\x00\x1c\x1f\x7f\u200b\ufeff\ue000\U000f0000", "\U0001f600\u200d\ufe0f",
]


def text(source):
    parts = []
    for _ in range(source.randint(1, 9)):
        if source.random() < 0.25:
            alphabet = CATEGORIES[source.choice(list(CATEGORIES))]
        else:
            alphabet = source.choice(COMMON)
        parts.append("".join(source.choice(alphabet) for _ in range(source.choice([1, 1, 2, 3, 5]))))
    return "".join(parts)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    source = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    result = {}
    for name, expressions in EXPRESSIONS.items():
        cases = []
        for _ in range(count):
            sample = text(source)
            cases.append({"text": sample, "lengths": [len(piece) for piece in split(expressions, sample)]})
        result[name] = cases
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "splits.json")
    with open(path, "w", encoding="ascii") as file:
        file.write("{\n")
        for index, (name, cases) in enumerate(result.items()):
            file.write(f'"{name}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]")
            file.write(",\n" if index + 1 < len(result) else "\n")
        file.write("}\n")


main()
