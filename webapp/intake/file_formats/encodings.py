"""Which encoding a file's bytes are in, where nothing in it says so: the one in which they read
like a language.

Each encoding is tried for the languages that were written in it. Of a language in Latin letters we
know which letters beside a to z it has; of one in another script which characters are frequent, for
in wrong ones all are about as frequent.
"""

import codecs
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

import regex

SAMPLE = 1 << 13  # bytes, of lines that are not plain ASCII
FIRST_BYTES = 1 << 10  # of them by which most encodings are ruled out
_LATIN = {  # letters beside a to z
    "en": "éèêëïôöñçàæœ", "fr": "àâæçéèêëîïôœùûüÿ", "de": "äöüßé", "es": "áéíñóúü", "pt": "áâãàçéêíóôõúü", "it": "àèéìíîòóùú",
    "nl": "ëïéèöüáóê", "sv": "åäöéü", "da": "åæøéü", "no": "åæøéòô", "fi": "äöåšž", "is": "áðéíóúýþæö", "ca": "àçèéíïòóúü·", "gl": "áéíñóúüï",
    "eu": "ñü", "ga": "áéíóú", "cy": "âêîôûŵŷïëáä", "sq": "ëç", "af": "êëéïôûèáöü", "id": "é", "sw": "é", "tl": "ñ", "la": "æœë", "br": "êñùéü",
    "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű", "ro": "ăâîşţșț", "hr": "čćđšž", "sl": "čšž",
    "hsb": "čćěłńóřšžź", "tr": "çğıİöşüâîû", "az": "çəğıİöşü", "et": "äöõüšž", "lv": "āčēģīķļņšūž", "lt": "ąčęėįšųūž", "eo": "ĉĝĥĵŝŭ", "mt": "ċġħżàèìòù",
    "vi": "àáảãạăằắẳẵặâầấẩẫậèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵđ\u0300\u0301\u0303\u0309\u0323",
}  # fmt: skip
_KANA = "".join(map(chr, range(0x3041, 0x30FD)))
# the most frequent ones of modern texts, and some of poems; then those that have traditional forms
# in these
_HANZI = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心"
    "她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西月话合回特代内信表化老给世"
    "位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直资命山金指许统区保至队形社便空决治"
    "展马科五基书非则听白却界达光放强即像难且权思王完设式色路记南品住告类求据程北边死张该交规万取望觉术领共确传师观清今切让识候带导争运花春风云江秋君夜酒愁归飞草客青落寒城远鸟鱼玉香千流"
    "影林石"
    "這個們來為國說時會對過發後裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問並應戰頭體見產話內給門兒東聲員論處義幾認條氣題別變總電數報結務場計資許統區隊決馬書則聽卻達強難權設記"
    "類據邊張該規萬覺術領確傳師觀讓識帶導爭運風雲歸飛遠鳥魚於"
)
_OTHER = {  # the frequent characters, and which share of a text's they are
    "ru": ("оеаинтсрвлкмдпуя", 0.88),
    "uk": ("оаиніветрслкудмп", 0.88),
    "bg": ("аоиетнрсвлкдпъ", 0.88),
    "sr": ("аоиенрјстувдкмп", 0.88),
    "el": ("αοιετσνηυρπκμλςάίόέή", 0.8),
    "he": ("ויהלאתרבשמנםד", 0.75),
    "ar": ("اليمنوترةبعدفهحكس\u064e\u0650\u0652\u064f\u0651", 0.75),
    "fa": ("ایرندهموتبسشکگ", 0.75),
    "th": ("านรกเงอมยลวดท่้ัิี", 0.7),
    "yi": ("ויהלאתרבשמנםדןט", 0.75),
    "ja": (_KANA + "日本人国大年中会", 0.45),
    "zh": (_HANZI, 0.4),
    "ko": (
        "이다는의에을가고하한를은로도지서사기리나어인시자들대해그스으아정일니라과전수요있었습부모든",
        0.45,
    ),
}
LANGUAGES_OF_ENCODING = {  # the likelier first: of two that read a file alike it is the one above
    "cp1252": "en fr de es pt it nl sv da no fi is ca gl eu ga sq af id sw tl la br et", "cp932": "ja", "gb18030": "zh", "cp1251": "ru bg sr uk",
    "cp1250": "pl cs sk hu ro hr sl de sq hsb", "euc_jp": "ja", "big5hkscs": "zh", "cp949": "ko", "koi8-r": "ru bg", "cp1256": "ar fa",
    "cp1255": "he yi", "cp1253": "el", "cp1254": "tr az", "cp874": "th", "cp1257": "lv lt et",
    "iso8859-2": "pl cs sk hu ro hr sl de hsb", "iso8859-5": "ru bg sr uk", "koi8-u": "uk ru", "iso8859-7": "el", "iso8859-6": "ar", "cp1258": "vi",
    "iso8859-15": "fr fi et de", "cp866": "ru bg", "mac_roman": "en fr de es pt it nl sv da no",
    "iso8859-4": "lv lt et", "iso8859-13": "lv lt et", "iso8859-3": "eo mt", "iso8859-16": "ro hr", "iso8859-14": "cy ga", "mac_cyrillic": "ru uk",
    "mac_latin2": "pl cs sk hu", "cp850": "en fr de es pt it nl sv da no", "cp437": "en fr de es it", "cp852": "pl cs sk hu ro hr sl", "johab": "ko",
}  # fmt: skip
_RARE = dict.fromkeys(
    "iso8859-2 iso8859-5 koi8-u iso8859-7 iso8859-6 cp1258 iso8859-15 cp866 mac_roman mac_cyrillic".split(),
    0.995,
) | dict.fromkeys(
    "iso8859-4 iso8859-13 iso8859-3 iso8859-16 iso8859-14 mac_latin2 cp850 cp437 cp852 johab".split(),
    0.93,
)
# Letters that stand for Cyrillic ones in careless typing
_LOOK_ALIKE = frozenset("aceopxyijsABCEHKMOPTXvI")
_TYPOGRAPHY = frozenset("’‘“”„«»‹›–—…•·†‡¿¡‚\xa0")
_SIGNS = frozenset("£§°©®™€½¼¾²³ºª±×µ¶´¨¢¥")
_SIGN_LETTERS = "ºªµ"  # letters by Unicode's categories alone
_ANY = 0.9  # the worth of any Latin letters, in cp1252: of languages that are not listed
_ALIKE = 0.002  # what two encodings have alike is not the second's for a stray byte
_SIGN_WORTH = 0.6  # of a sign, which stands in few texts
_TYPOGRAPHY_WORTH = 0.9  # beside letters that are not Latin: other encodings have it, too
_UNSPACED = {"ja", "zh", "ko"}
_BEHIND = 0.25  # what is so far behind in the FIRST_BYTES is not tried any more
_NEAR = 0.025
_NEAR_CP1252 = 0.08  # it is the commonest by far
_PRIOR_CHARACTERS = 2  # characters: fewer than that say little
_LEAST_SCORE = 0.65  # the score of a text's encoding, at least
_HZ = regex.compile(rb"~\{[!-~]+~\}")


def guess(sample: bytes, least_score: float = _LEAST_SCORE) -> str:
    """The encoding that reads best; cp1252 where none reads well. sample: neither plain ASCII nor
    marked; at most some 100 kB. least_score: what reads worse is no sign of anything.

    UTF-8 it is if nine in ten of its characters are: some are damaged, and no other encoding gives
    so many by chance.
    """
    # Lines that are plain ASCII say nothing
    lines = [line for line in sample.splitlines(keepends=True) if not line.isascii()]
    sample = b"".join(lines)[:SAMPLE]
    text = sample.decode("utf-8", "replace")
    if text.count("\ufffd") < 0.1 * sum(character > "\x7f" for character in text):
        return "utf-8"
    first = {encoding: _score(sample[:FIRST_BYTES], encoding) for encoding in LANGUAGES_OF_ENCODING}
    least = max(first.values()) - _BEHIND
    scores = {
        encoding: _score(sample, encoding) for encoding, score in first.items() if score >= least
    }
    best = max(scores.values())
    near = [encoding for encoding, score in scores.items() if score >= best - _near(encoding)]
    if len({sample.decode(encoding, "replace") for encoding in near}) > 1:
        for encoding in near:
            if _at_home(sample, encoding):
                scores[encoding] += _near(encoding)
    likeliest = "cp1252"
    best_score = max(least_score, scores.get("cp1252", 0.0))
    for encoding, score in scores.items():
        if score > best_score + _ALIKE:
            likeliest = encoding
            best_score = score
    return likeliest


def _near(encoding: str) -> float:
    """Between scores so close the language decides."""
    return _NEAR_CP1252 if encoding == "cp1252" else _NEAR


def _at_home(sample: bytes, encoding: str) -> bool:
    """Whether the text is in a language of this encoding, and has that language's letters; in
    cp1252 are all languages that no other has."""
    import py3langid

    text = sample.decode(encoding, "replace")
    language, _ = py3langid.classify(text)
    if language in _LATIN:
        letters = [letter for letter in text.lower() if _is_foreign(letter)]
        strange = sum(letter not in _LATIN[language] + _SIGN_LETTERS for letter in letters)
        if 2 * strange > len(letters):
            return False
    return language in LANGUAGES_OF_ENCODING[encoding].split() or (
        encoding == "cp1252" and language not in " ".join(LANGUAGES_OF_ENCODING.values()).split()
    )


def escaped(sample: bytes) -> str | None:
    """Encodings of plain ASCII bytes, in which other characters stand between marks."""
    if b"\x1b$)C" in sample:
        return "iso2022_kr"
    if b"\x1b$B" in sample or b"\x1b$@" in sample:
        return "iso2022_jp"
    if _HZ.search(sample) and _is_hz(sample):
        return "hz"
    return None


def _is_hz(sample: bytes) -> bool:
    """Its marks are of ASCII, and may stand in any text: as HZ it has to have Chinese characters,
    and hardly any that can't be decoded."""
    text = sample.decode("hz", "replace")
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    return chinese > 10 * text.count("\ufffd")


@dataclass
class _Characters:
    """The characters of a text that are not ASCII, by where they stand. latin, other, alone:
    letters in words of Latin letters, in words of others, and in any word; typography, signs: how
    many stand as they do in a text; wrong: what stands as it does in no text, half of it where it
    may."""

    total: int = 0
    latin: Counter = field(default_factory=Counter)
    other: Counter = field(default_factory=Counter)
    alone: Counter = field(default_factory=Counter)
    typography: int = 0
    signs: int = 0
    wrong: float = 0.0

    def add(self, before: str, character: str, after: str, n: int) -> None:
        """before, after: its neighbours. n: how often it stands between these."""
        self.total += n
        is_sign = character in _SIGNS
        at_a_number = before.isdigit() or after.isdigit()
        if _is_typography(before, character, after) or (is_sign and at_a_number):
            self.typography += n
        elif is_sign:
            self.signs += n
            if after.isalpha() and (before.isalpha() or not after.isascii()):
                self.wrong += n
        elif not character.isalpha() and unicodedata.category(character)[0] in "CS":
            self.wrong += n
        elif character.isupper() and before.islower():
            self.wrong += 0.5 * n
        else:
            self._add_letter(before, character, after, n)

    def _add_letter(self, before: str, character: str, after: str, n: int) -> None:
        letter = character.lower() if character != "İ" else character
        self.alone[letter] += n
        if not (_is_foreign(before) and _is_foreign(after)):  # as in “Ìîñêâà”, which is Москва
            self.latin[letter] += n
        if not (_is_latin(before) or _is_latin(after)):
            self.other[letter] += n

    def good_in(self, language: str) -> float:
        """How many of them are as they are in a language."""
        if language in _LATIN:
            letters_of_language = sum(self.latin[letter] for letter in _LATIN[language])
            return letters_of_language + self.typography + _SIGN_WORTH * self.signs
        frequent, share = _OTHER[language]
        # There a word of Latin letters may touch another
        letters = self.alone if language in _UNSPACED else self.other
        rest = self.total - self.typography
        found = sum(letters[letter] for letter in frequent) / max(1, rest) / share
        return min(1.0, found) * rest + _TYPOGRAPHY_WORTH * self.typography

    def good_in_any_latin(self) -> float:
        """How many characters, by weight, fit a text in Latin letters, whatever its language."""
        letters = sum(n for c, n in self.latin.items() if c <= "\xff" or c in "œšžÿ")
        return _ANY * letters + self.typography + _SIGN_WORTH * self.signs


def _characters(text: str) -> _Characters:
    with_neighbours = zip(" " + text, text, text[1:] + " ", strict=False)
    times = Counter(triple for triple in with_neighbours if triple[1] > "\x7f")
    characters = _Characters()
    for (before, character, after), n in times.items():
        characters.add(before, character, after, n)
    return characters


def _score(sample: bytes, encoding: str) -> float:
    """How much of the text that is not ASCII is as it is in a language of this encoding: 1 for all,
    below 0 for what is no text."""
    # Not final: the sample may end within a character
    decoded = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    characters = _characters(unicodedata.normalize("NFC", decoded))
    if not characters.total:
        return 0.0
    good = max(characters.good_in(language) for language in LANGUAGES_OF_ENCODING[encoding].split())
    if encoding == "cp1252":
        good = max(good, characters.good_in_any_latin())
    # So few characters more, of the usual worth: a text of hardly any is neither good nor bad
    usual = _PRIOR_CHARACTERS * _usual_score(encoding)
    score = (good - 2 * characters.wrong + usual) / (characters.total + _PRIOR_CHARACTERS)
    return _RARE.get(encoding, 1.0) * score


def _usual_score(encoding: str) -> float:
    if encoding == "cp1252":
        return 0.95
    return 0.5 if encoding in _RARE else 0.8


def _is_foreign(character: str) -> bool:
    return character > "\x7f" and character.isalpha()


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalpha() and character not in _LOOK_ALIKE


def _is_typography(before: str, character: str, after: str) -> bool:
    """Quotation marks, dashes and the like, where they stand in a text; and the punctuation of
    Chinese and Japanese."""
    if character not in _TYPOGRAPHY:
        return "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uff60"
    if character in "’·":
        return before.isalnum() or after.isalpha()
    if character in "“„«‹‘¿¡‚†‡•":
        return not before.isalnum()
    return character in "…\xa0" or not (after.isalpha() and before.isalpha())
