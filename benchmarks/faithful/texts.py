"""The known texts: paragraphs in three languages, with a title, a date and an author each."""

from typing import NamedTuple


class Known(NamedTuple):
    """paragraphs: as they were written, each on one line."""

    language: str
    title: str
    author: str
    date: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

    @property
    def year(self) -> str:
        return self.date.partition("-")[0]


_ENGLISH = (
    "The river rose in the spring and the farmers of the valley lost a harvest of wheat and barley.",
    "Parliament debated the tariff on wool, and the minister promised a well-known committee on"
    " trade.",
    "The hospital opened a ward for fever patients; the doctors asked the town for clean water.",
    "A strike of the dock workers stopped the harbour, and the union asked for shorter hours.",
    "Teachers wrote of crowded schools, of children without shoes and of lessons in cold rooms.",
    "The railway company built a bridge over the northern channel in less than seven months.",
)
_GERMAN = (
    "Der Fluß stieg im Frühjahr, und die Bauern des Tales verloren eine Ernte von Weizen und Gerste.",
    "Die Abgeordneten stritten über den Zoll auf Wolle, und der Minister versprach Prüfung.",
    "Das Krankenhaus eröffnete eine Abteilung für Fieberkranke; die Ärzte baten um sauberes Wasser.",
    "Ein Ausstand der Hafenarbeiter legte den Hafen still, die Gewerkschaft verlangte kürzere"
    " Arbeitszeiten.",
    "Lehrerinnen schrieben über volle Schulen, über Kinder ohne Schuhe und Unterricht in der Kälte.",
    "Die Gesellschaft baute eine Brücke über den nördlichen Kanal in weniger als sieben Monaten.",
)
_FRENCH = (
    "La rivière monta au printemps et les fermiers de la vallée perdirent une récolte entière de blé.",
    "Les députés débattirent du tarif sur la laine, et le ministre promit une enquête sérieuse.",
    "L’hôpital ouvrit une salle pour les fiévreux ; les médecins demandèrent de l’eau très propre.",
    "Une grève des dockers arrêta le port, et le syndicat réclama des journées bien plus courtes.",
    "Des maîtresses écrivirent que les écoles étaient pleines, les enfants sans souliers, les salles"
    " froides.",
    "La compagnie bâtit un pont sur le canal du nord en moins de sept mois, malgré un hiver rude.",
)
_TITLES = {
    "en": ("Of the river", _ENGLISH, "Anna Miller"),
    "de": ("Über den Fluß", _GERMAN, "Jürgen Möller"),
    "fr": ("De la rivière", _FRENCH, "Zoé Lefèvre"),
}


MONTHS = (
    "January February March April May June July August September October November December".split()
)
MARKS = 'He said "no, never"; it lay in C:\\new\\rivers\\ and 5 < 6 & more.'


def with_marks(documents: int) -> list[Known]:
    """Known texts with a last paragraph that has quotation marks, commas and backslashes."""
    return [text._replace(paragraphs=(*text.paragraphs[:2], MARKS)) for text in known(documents)]


PARAGRAPHS = 4  # of a text
FIRST_YEAR = 1890  # of the first text; each other one is of a year later
DAYS_OF_EVERY_MONTH = 28


def known(documents: int) -> list[Known]:
    """So many texts, the languages in turn; each of four paragraphs, in another order."""
    texts = []
    for number in range(documents):
        language = list(_TITLES)[number % len(_TITLES)]
        title, paragraphs, author = _TITLES[language]
        first = number % len(paragraphs)
        chosen = (paragraphs + paragraphs)[first : first + PARAGRAPHS]
        date = f"{FIRST_YEAR + number}-03-{1 + number % DAYS_OF_EVERY_MONTH:02}"
        texts.append(Known(language, f"{title}, {number + 1}", author, date, chosen))
    return texts
