"""Stop words by language: words that occur in every text and distinguish no topics."""

from unicodedata import normalize

import regex
import stopwordsiso

# Function words, after the Snowball project's list (BSD licence) and its like. The list of
# stopwordsiso for English has 1,298 entries, "state", "war"-time words such as "home", "world",
# "work" and "system" among them: what a scholar looks for. docs/decisions/README.md tells how they
# compare.
ENGLISH = frozenset(
    """
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
""".split()
)

_MORE = {  # words that the lists of stopwordsiso lack
    # What a Korean noun or stem carries behind it: particles, endings and the commonest
    # auxiliaries, as the segmenter cuts them. Chosen from the frequent ones in Korean texts; words
    # that stand alone are in the list of stopwordsiso.
    "ko": frozenset(
        """
가 까지 께서 나 는 다가 대로 도 들 들이 로 로부터 로서 로써 를 마다 마저 만 만큼 밖에 보다 부터 뿐 서 씩 에 에게 에게서 에서 에서는 에는 에도 와
요 으로 으로부터 으로서 으로써 은 을 의 이 이고 이나 이다 이라 이라고 이라는 이라도 이라면 이란 이며 이었다 이는 조차 처럼 커녕 하고 한테
거나 게 게끔 겠 고 고도 고자 과 기 기에 긴 까 나요 냐 네 느냐 는가 는다 는다면 는데 는지 니 니까 니다 다 다고 다는 다면 더니 더라도 던 데 도록
든 든지 듯 라 라고 라는 라도 라면 란 려 려고 려는 려면 며 면 면서 므로 습니까 습니다 시 십시오 아 아도 아서 아야 아요 았 았다 어 어다 어도 어서 어야
어요 었 었다 였 였다 였으며 여 여야 으나 으니 으려고 으려는 으려면 으로 으며 으면 으면서 으므로 은데 은지 을까 을까요 을지 음 인 인가 인가요 인지 일
입니까 입니다 자 자면 져 졌 죠 지 지만 진
가지 간 개 것 것이 거 군데 권 그렇 년 대 대하 되 된 된다 될 됐 됨 됩니다 두 둔 때문 바 번 보 봅니다 봐야 볼 분 수 시키 싶 아니 아닌 아닌지 아닐 아닙니다 않
어떠 어떻 없 월 위하 의하 이러 이렇 인하 일 있 적 주 줄 중 지 채 측 통하 하 한 한다 한다면 한지 할 할까요 함 합니다 해 해서 해야 했 화
""".split()
    ),
    # Pieces of verbs, as ICU cuts them finer than the list has them; the frequent ones in Japanese
    # news.
    "ja": frozenset(
        """
あっ いった いて く くれ け さん した じ しまっ せ だった っ って ている ていた てい てき であり である であっ でした なか ね べ べた ぶり ま ました ません み め よ
り われ われる わ んで ことに に対し ぞ
""".split()
    ),
    # The list for Greek leaves most accents out; texts do not.
    "el": frozenset(
        """
είναι ή εάν μπορεί όταν αυτό έχετε ότι όπως πρέπει έχει επίσης έπειτα αλλά έτσι μόνο κάθε μπορούν έχουν ακόμα αυτή αυτές μερικές κάτω συχνά άλλα πώς πολύ
συνήθως μεταξύ καθώς αυτά μερικοί χωρίς αυτήν όλα όχι άλλους άλλες ώστε είσαστε ενώ όμως άλλη κάποια άλλο αυτόν όλες αντί όπου άλλοι αφού λίγο ίσως οποία
κάτι μόλις αρκετά μέχρι ξανά τώρα μερικά περισσότερο εκεί αυτών πάλι όλους μαζί κάποιο εκτός όσο κάποιες αυτούς ήταν πού τίποτα όλων αυτός κάποιος άλλος
αυτού είχατε όλη λόγω είτε ανά κανένα πότε αμέσως κάποιον καθετί είστε αλλιώς ακριβώς καθόλου τόσο οποίο όλοι τέτοιο οποίων τουλάχιστον όλο ποτέ εσάς
εσείς αυτοί μερικών κάπου έχουμε όποτε όλον περίπου ούτε άλλων αυτής καμιά όλης καμία όσες έχω πέρα εαυτόν κατόπιν κανέναν όποιες πλέον όσον καθενός
οποίου ούτως συνεπώς τέτοιων κάπως έξω εαυτού καθένας καθένα κάποιοι όσα ωστόσο κάποιων μερικούς ούτω ορισμένων άλλης έως κανένας άλλον εαυτό ανάμεσα οπότε
ορισμένες αλλού οποίες όσους καθεμιά από για μία ένα ένας μου σου του της των τους τις στη στην στο στον στα στις στους δεν θα να
""".split()
    ),
}
# The list for Chinese is simplified. The traditional forms of its characters: of those that have
# one only, and of those that stand for themselves too.
_TRADITIONAL = str.maketrans(
    "两个临为乌仅从们会傥关内冲况凭则别办区单却吓吗呕呗呜哒哗哟喽嗳嘘处对将尔尽岂开归当总换无旧时来样欤没点犹独着称简类紧纵经结给继综罢腾虽见让许论设诚话该说请诸谁贼赖转较边达过还这进连鉴针问间随难顺齐",
    "兩個臨為烏僅從們會儻關內衝況憑則別辦區單卻嚇嗎嘔唄嗚噠嘩喲嘍噯噓處對將爾盡豈開歸當總換無舊時來樣歟沒點猶獨著稱簡類緊縱經結給繼綜罷騰雖見讓許論設誠話該說請諸誰賊賴轉較邊達過還這進連鑒針問間隨難順齊",
)
_TRADITIONAL_TOO = str.maketrans("万与么于余几后据并里", "萬與麼於餘幾後據並裡")
# Of Arabic script, which most texts leave out; and the stroke that lengthens
_VOWELS = regex.compile("[\u064b-\u0652\u0670\u0640]")

# that texts can be said to be in: those with a list here, with a segmenter, or that are recognised
LANGUAGES = {
    "af": "Afrikaans", "sq": "Albanian", "am": "Amharic", "ar": "Arabic", "hy": "Armenian", "as": "Assamese",
    "az": "Azerbaijani", "eu": "Basque", "be": "Belarusian", "bn": "Bengali", "bs": "Bosnian", "br": "Breton",
    "bg": "Bulgarian", "my": "Burmese", "ca": "Catalan", "zh": "Chinese", "hr": "Croatian", "cs": "Czech",
    "da": "Danish", "nl": "Dutch", "en": "English", "eo": "Esperanto", "et": "Estonian", "fo": "Faroese",
    "fi": "Finnish", "fr": "French", "gl": "Galician", "lg": "Ganda", "ka": "Georgian", "de": "German", "el": "Greek",
    "gu": "Gujarati", "ht": "Haitian Creole", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "is": "Icelandic", "ig": "Igbo", "id": "Indonesian", "ga": "Irish", "it": "Italian", "ja": "Japanese",
    "jv": "Javanese", "kn": "Kannada", "kk": "Kazakh", "km": "Khmer", "rw": "Kinyarwanda", "ko": "Korean",
    "ku": "Kurdish", "ky": "Kyrgyz", "lo": "Lao", "la": "Latin", "lv": "Latvian", "ln": "Lingala", "lt": "Lithuanian",
    "lb": "Luxembourgish", "mk": "Macedonian", "mg": "Malagasy", "ms": "Malay", "ml": "Malayalam", "mt": "Maltese",
    "mr": "Marathi", "mn": "Mongolian", "ne": "Nepali", "no": "Norwegian", "oc": "Occitan", "or": "Odia",
    "om": "Oromo", "ps": "Pashto", "fa": "Persian", "pl": "Polish", "pt": "Portuguese", "pa": "Punjabi",
    "qu": "Quechua", "ro": "Romanian", "ru": "Russian", "sa": "Sanskrit", "gd": "Scottish Gaelic", "sr": "Serbian",
    "sn": "Shona", "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "so": "Somali", "st": "Southern Sotho",
    "es": "Spanish", "sw": "Swahili", "sv": "Swedish", "tl": "Tagalog", "tg": "Tajik", "ta": "Tamil", "tt": "Tatar",
    "te": "Telugu", "th": "Thai", "tr": "Turkish", "tk": "Turkmen", "uk": "Ukrainian", "ur": "Urdu", "ug": "Uyghur",
    "uz": "Uzbek", "vi": "Vietnamese", "cy": "Welsh", "fy": "Western Frisian", "xh": "Xhosa", "yi": "Yiddish",
    "yo": "Yoruba", "zu": "Zulu",
}  # fmt: skip


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1), lower case, in Unicode normal form C; none for ""
    and for a language without a list.

    Raises KeyError for what is none of LANGUAGES.
    """
    if not language:
        return frozenset()
    if language not in LANGUAGES:
        raise KeyError(language)
    if language == "en":
        return ENGLISH
    stop_list = stopwordsiso.stopwords(language) if stopwordsiso.has_lang(language) else set()
    words = {normalize("NFC", word.lower()) for word in stop_list} | _MORE.get(
        language, frozenset()
    )
    words |= {_VOWELS.sub("", word) for word in words}
    if language == "zh":
        forms = [word.translate(_TRADITIONAL) for word in words]
        words.update(forms, [word.translate(_TRADITIONAL_TOO) for word in forms])
    # The tokeniser ends a word at an apostrophe or a hyphen: the pieces of such entries are stop
    # words too. Entries of several words, and signs, are no words.
    words |= {
        word_part
        for word in words
        for word_part in word.replace("’", "'").replace("-", "'").split("'")
    }
    return frozenset(
        word for word in words if " " not in word and any(character.isalpha() for character in word)
    )
