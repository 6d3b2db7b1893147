"""What the names of columns say of their values, in the languages of the forms that people fill in."""

from functools import lru_cache

import regex

_PIECES = regex.compile(r"\p{Lu}?[\p{Ll}\p{M}\p{Lo}]+|\p{Lu}+(?!\p{Ll})|\p{N}+")
DATE_WORDS = frozenset(
    "date dates datum datums year years jahr jahrgang année annee an année fecha data ano anno año"
    " rok aasta vuosi år yıl dated pubdate published publication created creation timestamp"
    " datetime time ts utc issued posted sent modified updated month monat mois mes mese quarter"
    " quartal trimestre day tag jour día dia giorno epoch unixtime unix begin_date дата год"
    " 日期 年份 年 วันที่ ปี تاريخ سنة تاریخ سال תאריך שנה".split()
)
COUNT_WORDS = frozenset(
    "likes like favorites favourites favorite retweets retweet shares share views view count counts"
    " number num words tokens characters chars length size score scores points votes ups downs"
    " replies reply comments followers following friends price cost amount value sum total pages"
    " page weight height distance population income salary rank rating id ids plays clicks hits"
    " anzahl wörter preis nombre mots prix número precio palabras".split()
)
PEOPLE_WORDS = frozenset(
    "speaker speakers author authors writer sender from user username member mp actor person"
    " creator poster maintainer byline redner rednerin sprecher sprecherin autor autorin verfasser"
    " verfasserin"
    " auteur autrice orateur oratrice intervenant orador oradora autora autore oratore spreker"
    " talare taler forfatter författare mówca autorka řečník автор оратор говорящий".split()
)


LIFE_WORDS = frozenset(
    "born birth birthday birthyear birthdate died death dob yob geboren geburt geburtsjahr"
    " geburtsdatum gestorben naissance né née mort nacimiento nascimento nascita geboorte född".split()
)


@lru_cache(1 << 12)
def words_of_name(name: str) -> frozenset[str]:
    """The words of a column's name, in lower case: "createdAt", "created_at" and "Created At" have
    the same."""
    return frozenset(word.casefold() for word in _PIECES.findall(name))


def names_dates(name: str) -> bool:
    """Whether a column is said to hold dates, years or times."""
    return bool(words_of_name(name) & DATE_WORDS)


def names_counts(name: str) -> bool:
    """Whether a column is said to hold how many, how large or which: never years."""
    return bool(words_of_name(name) & COUNT_WORDS) and not names_dates(name)


def names_lives(name: str) -> bool:
    """Whether a column is said to hold when somebody was born or died: no date of a text."""
    return bool(words_of_name(name) & LIFE_WORDS)


def names_people(name: str) -> bool:
    """Whether a column is said to hold who wrote or spoke."""
    return bool(words_of_name(name) & PEOPLE_WORDS)
