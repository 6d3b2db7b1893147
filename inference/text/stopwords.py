"""Stop words by language: words that stand in every text and tell no topic from another."""

import stopwordsiso

# Function words, after the Snowball project's list (BSD licence) and its like. The list of stopwordsiso for English has
# 1,298 entries, "state", "war"-time words such as "home", "world", "work" and "system" among them: what a scholar looks
# for. docs/decisions/stop-words.md tells how they compare.
ENGLISH = frozenset("""
a about above according accordingly across actually after afterwards again against albeit all almost alone along already
also although always am among amongst an and another any anybody anyhow anyone anything anyway anywhere apart are aren around as
aside at away be became because become becomes becoming been before beforehand behind being below beside besides between
beyond both but by came can cannot cant come comes could couldn d de did didn do does doesn doing don done down during each
eg either else elsewhere enough especially etc even ever every everybody everyone everything everywhere except far few for
former formerly forth from further furthermore gave get gets getting give given gives go goes going gone got had hadn hardly
has hasn have haven having he hence her here hereby herein hereof hereto hereupon herewith hers herself him himself his hither
how howbeit however i ie if in inasmuch indeed instead into inward is isn it its itself just keep keeps kept know known knows
last lately later latter latterly least less lest let like likewise ll made mainly make makes making many may maybe me mean
meanwhile merely might mine more moreover most mostly much must mustn my myself namely near nearly needn neither never
nevertheless next no nobody none nonetheless nor not nothing notwithstanding now nowhere o of off often oh on once one ones
only onto or other others otherwise ought our ours ourselves out outside over own per perhaps please put puts quite rather
re really s said same saw say saying says see seen self selves shall shan she should shouldn since so some somebody somehow
someone something sometime sometimes somewhat somewhere soon still such t take taken takes taking than that the thee their
theirs them themselves then thence there thereafter thereby therefore therefrom therein thereof thereon thereto thereupon
these they thing things this those thou though through throughout thru thus thy to together too took toward towards under
unless unlike unlikely until unto up upon us used useful using usually ve very via was wasn way we well went were weren what
whatever when whence whenever where whereafter whereas whereby wherein whereof whereupon wherever whether which whichever
while whither who whoever whole whom whomever whose why will with within without won would wouldn yes yet you your yours
yourself yourselves
""".split())  # fmt: skip

LANGUAGES = {
    "af": "Afrikaans", "ar": "Arabic", "eu": "Basque", "bn": "Bengali", "br": "Breton", "bg": "Bulgarian", "ca": "Catalan",
    "zh": "Chinese", "hr": "Croatian", "cs": "Czech", "da": "Danish", "nl": "Dutch", "en": "English", "eo": "Esperanto",
    "et": "Estonian", "fi": "Finnish", "fr": "French", "gl": "Galician", "de": "German", "el": "Greek", "gu": "Gujarati",
    "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "ga": "Irish",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "ku": "Kurdish", "la": "Latin", "lv": "Latvian", "lt": "Lithuanian",
    "ms": "Malay", "mr": "Marathi", "no": "Norwegian", "fa": "Persian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "so": "Somali", "st": "Southern Sotho", "es": "Spanish",
    "sw": "Swahili", "sv": "Swedish", "tl": "Tagalog", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "yo": "Yoruba", "zu": "Zulu",
}  # fmt: skip


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1), lower case; none for "". Raises KeyError for a language without a list."""
    if not language:
        return frozenset()
    if language not in LANGUAGES:
        raise KeyError(language)
    if language == "en":
        return ENGLISH
    words = {word.lower() for word in stopwordsiso.stopwords(language)}
    # The tokeniser ends a word at an apostrophe or a hyphen: the pieces of such entries are stop words too.
    return frozenset(words | {piece for word in words for piece in word.replace("’", "'").replace("-", "'").split("'") if piece})
