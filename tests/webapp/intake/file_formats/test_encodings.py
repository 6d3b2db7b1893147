"""Encodings: every file of the corpora in many languages comes in right, and so do sentences in
every encoding that they were written in."""

import csv
import gzip
import io
import zipfile

import pytest

from tests.webapp.intake.file_formats.reading import load, zipped
from webapp.intake import file_formats
from webapp.intake.file_formats import encodings
from webapp.intake.file_formats.base import DETECT, Document, clean, guess_encoding
from webapp.intake.ingest.reading_forms import ENCODINGS

csv.field_size_limit(10**8)
TABLES = {  # what each file really is
    "ar_classical/ar_diacritized.utf8.csv.gz": "utf-8", "ar_classical/ar_plain.utf8.csv.gz": "utf-8", "ar_classical/ar_plain.cp1256.csv.gz": "cp1256",
    "fr_novels/fr_novel_chapters.utf8.csv.gz": "utf-8", "fr_novels/fr_novel_chapters.cp1252.csv.gz": "cp1252",
    "gnome_help_multilang/gnome_help_15lang.csv.gz": "utf-8", "ja_wikinews/ja_wikinews_raw.utf8.csv.gz": "utf-8",
    "ja_wikinews/ja_wikinews_segmented.utf8.csv.gz": "utf-8", "ja_wikinews/ja_wikinews_raw.shift_jis.csv.gz": "cp932",
    "zh_poems/zh_poems.utf8bom.csv.gz": "utf-8-sig", "zh_poems/zh_poems.gb18030.csv.gz": "gb18030", "zh_poems/zh_poems.big5.csv.gz": "big5",
    "zh_poems/zh_poems.utf16be_nobom.csv.gz": "utf-16-be",
}  # fmt: skip
LABELS = {  # the ending of a name in the archive -> what it really is
    "Latin1": "cp1252", "UTF8": "utf-8", "UTF8~": "utf-8", "Latin2": "cp1250", "err": "cp1250", "Cyrillic": "cp1251", "Cyrillic+Abkh": "cp1251",
    "Hebrew": "cp1255", "Arabic": "cp1256", "Greek": "cp1253", "Turkish": "cp1254", "Baltic": "iso8859-4", "SJIS": "cp932", "EUC": "euc_jp",
    "JIS": "iso2022_jp", "HZ": "hz", "GB2312": "gb18030", "Unicode": "utf-16", "udhr/Amahuaca": "cp1252",
}  # fmt: skip
MISLABELLED = {
    "udhr/Czech_Cesky-UTF8.txt": "cp1250",
    "udhr/Mongolian_Khalkha-Cyrillic.txt": "iso8859-5",
}
# Bytes of fonts or of encodings that Python has no decoder for: no reading of them is right.
NO_ENCODING = {
    "Afenegus6..60375", "DallakHelv", "Az.Times.Cyr.Normal0117", "Az.Times.Lat0117", "Agra", "WinResearcher", "T61", "font", "VG2Main", "TCVN", "VIQR", "VPS",
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables(corpora_folder, name):
    path = corpora_folder / "languages" / name
    with gzip.open(path, "rt", encoding=TABLES[name], errors="replace", newline="") as file:
        expected = [
            clean(row["text"])
            for row in csv.DictReader(file, delimiter=";" if "cp1252" in name else ",")
            if row["text"].strip()
        ]
    documents, problems = load(path, path.name)
    assert [document.text for document in documents] == expected
    assert not any(problem.dropped for problem in problems)


def test_an_archive_in_latin_1_with_accents_in_its_names(corpora_folder):
    path = corpora_folder / "languages" / "fr_novels" / "fr_txt_latin1.zip"
    documents, problems = load(path, path.name)
    with zipfile.ZipFile(path) as archive:
        expected = {
            info.filename.rsplit("/", 1)[-1].removesuffix(".txt"): (
                archive.read(info).decode("latin-1")
            )
            for info in archive.infolist()
        }
    assert not problems and len(documents) == 60
    assert {document.title: document.text for document in documents} == {
        name: clean(text) for name, text in expected.items()
    }


def test_three_hundred_languages_in_their_own_encodings(corpora_folder):
    path = (
        corpora_folder / "languages" / "udhr_mixed_encodings" / "udhr_310lang_native_encodings.zip"
    )
    sniff = file_formats.sniff(path, path.name)
    assert sniff.options.encoding == DETECT
    found = {
        item.file.split("/", 1)[1]: item.text
        for item in file_formats.read(path, path.name, sniff.options)
        if isinstance(item, Document)
    }
    wrong = set()
    right = 0
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            label = name.removesuffix(".txt").rsplit("-", 1)[-1]
            if label in NO_ENCODING:
                continue
            text = archive.read(name).decode(MISLABELLED.get(name) or LABELS[label], "replace")
            if found[name] == clean(text).removeprefix("\ufeff"):
                right += 1
            else:
                wrong.add(name)
    # Both have letters in place of their own: ã for ă, û for ű. What we read is what was meant.
    assert wrong == {"udhr/Hungarian_Magyar-Latin1.txt", "udhr/Vlach-Latin1.txt"} and right == 320


SENTENCES = {
    "cp1252": "Les élections législatives françaises ont été précédées d’une campagne très animée à Paris, où l’été était chaud.",
    "iso8859-15": "Le cœur de l'œuvre coûte 30 € à l'été, et la sœur du maître a été là dès le début.",
    "mac_roman": "Les élections françaises ont été précédées d’une campagne très animée à Paris, où l’été était chaud.",
    "cp850": "Les élections françaises ont été précédées d'une campagne très animée à Paris, où l'été était chaud.",
    "cp1250": "Zażółć gęślą jaźń. Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "iso8859-2": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím.",
    "cp852": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván.",
    "cp1251": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "koi8-r": "Москва является столицей России и крупнейшим городом страны, она расположена на реке Москве.",
    "koi8-u": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Київ є столицею України, її найбільше місто.",
    "iso8859-5": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "cp866": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "cp1253": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Άλλοι δεν είναι.",
    "iso8859-7": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Άλλοι δεν είναι.",
    "cp1254": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler, İstanbul'da.",
    "iso8859-9": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler, İstanbul'da.",
    "cp1255": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.",
    "iso8859-8": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.",
    "cp1256": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم بعضاً.",
    "iso8859-6": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم بعضاً.",
    "cp1257": "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis.",
    "cp1258": "Tất cả mọi người sinh ra đều được tự do",
    "cp874": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม",
    "shift_jis": "これは日本語の文章です。東京は大きな都市であり、多くの人々が住んでいます。",
    "euc_jp": "これは日本語の文章です。東京は大きな都市であり、多くの人々が住んでいます。",
    "iso2022_jp": "これは日本語の文章です。東京は大きな都市であり、多くの人々が住んでいます。",
    "gb18030": "这是一个中文句子。北京是中国的首都,有很多人住在那里,历史悠久。",
    "hz": "这是一个中文句子。北京是中国的首都,有很多人住在那里,历史悠久。",
    "big5": "這是一個中文句子。台北是很大的城市,有很多人住在那裡,歷史也很久。",
    "euc_kr": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았다.",
    "utf-16-le": "Tous les êtres humains, libres et égaux", "utf-16-be": "北京是中国的首都, 有很多人", "utf-32-le": "Tous les êtres humains", "utf-32-be": "Wszyscy ludzie rodzą się",
}  # fmt: skip


@pytest.mark.parametrize("encoding", SENTENCES)
def test_a_sentence_in_each(file, encoding):
    content = SENTENCES[encoding].encode(encoding if encoding != "cp1258" else "utf-8")
    documents, _ = load(*file(content, "a.txt"))
    assert documents[0].text == SENTENCES[encoding]


def test_choices_are_all_that_are_guessed():
    known = {name for name, _ in ENCODINGS}
    for name in known - {DETECT}:
        "a".encode(name)
    assert (
        set(encodings.LANGUAGES_OF_ENCODING) <= known
        and {"utf-8", "utf-16", "utf-32", "iso2022_jp", "hz", DETECT} <= known
    )


def test_plain_english_with_a_few_signs():
    for sentence in ("It’s “quoted” – and that’s all", "Price: £5 or 20°C", "naïve café"):
        sample = (sentence + ". More words follow here.\n").encode("cp1252")
        assert sample.decode(guess_encoding(sample)) == sample.decode("cp1252")


def test_bytes_that_are_no_language():
    for sample in (bytes(range(128, 256)), b"\xff" * 1000, b"a\x81b" * 100, b"\x80"):
        assert sample.decode(guess_encoding(sample), "replace") is not None


def test_damaged_utf_8_is_utf_8(file):
    text = "Des élections législatives très animées à Paris. " * 20
    content = text.encode()[:400] + b"\xe9" + text.encode()[400:]
    assert guess_encoding(content) == "utf-8"
    documents, problems = load(*file(content, "a.txt"))
    assert (
        documents[0].text.count("\ufffd") == 1 and "not characters in utf-8" in problems[0].message
    )


def test_each_file_of_an_archive_has_its_own(tmp_path):
    names = (
        "cp1252",
        "koi8-r",
        "cp1251",
        "gb18030",
        "shift_jis",
        "cp1253",
        "euc_kr",
        "utf-8-sig",
        "utf-16",
    )
    entries = [
        (f"{name}.txt", SENTENCES.get(name, SENTENCES["cp1252"]).encode(name)) for name in names
    ]
    documents, problems = load(zipped(tmp_path, entries), "a.zip")
    assert not problems and [d.text for d in documents] == [
        SENTENCES.get(name, SENTENCES["cp1252"]) for name in names
    ]
    same = [(f"{i}.txt", SENTENCES["koi8-r"].encode("koi8-r")) for i in range(3)] + [
        ("b.txt", b"plain")
    ]
    assert file_formats.sniff(zipped(tmp_path, same), "a.zip").options.encoding == "koi8-r"


def test_tables_of_an_archive_can_each_have_their_own(tmp_path):
    entries = [
        (f"{name}.csv", f"id,text\n1,{SENTENCES[name].replace(',', ' ')}\n".encode(name))
        for name in ("cp1252", "koi8-r", "gb18030")
    ]
    options = file_formats.sniff(zipped(tmp_path, entries), "a.zip", encoding=DETECT).options
    found = [
        item
        for item in file_formats.read(tmp_path / "stored", "a.zip", options)
        if isinstance(item, Document)
    ]
    assert [d.text for d in found] == [
        SENTENCES[name].replace(",", " ") for name in ("cp1252", "koi8-r", "gb18030")
    ]


def test_time_is_short():
    import time

    samples = [
        (sentence * 200).encode(name)
        for name, sentence in SENTENCES.items()
        if name not in ("cp1258",)
    ]
    guess_encoding(samples[0])
    started = time.perf_counter()
    for sample in samples:
        guess_encoding(sample)
    assert time.perf_counter() - started < 0.25 * len(samples)
    assert guess_encoding(io.BytesIO(b"\xe9" * 250_000).read()) is not None
