"""The lessons, followed sentence by sentence: what a step names in bold is pressed or read, in its
order, on the page where the step before it ended."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PREPARING
from tests.browser.test_phone import PHONE
from tests.conftest import ROOT
from tests.webapp.service.corpora.test_languages import table

LESSONS = sorted((ROOT / "docs" / "lessons").glob("*.md"))
PRESSABLE = "a, button, summary"
LANGUAGES = 2  # of the texts of tests.webapp.service.corpora.test_languages


class Reader:
    """Somebody who follows a lesson by its own words. A step that is not as the test reads it, or
    whose words nobody followed, fails."""

    def __init__(self, page: Page, number: int, part: int = 0):
        """part: which of the lesson's lists of steps, from 0."""
        self.page = page
        (path,) = [path for path in LESSONS if path.name.startswith(f"{number}-")]
        text = re.sub(r"\s+", " ", path.read_text())
        steps = re.findall(r"(?<= )(\d)\. (.*?)(?= \d\. | Now with | What no |$)", text)
        begins = [place for place, (number, _) in enumerate(steps) if number == "1"]
        begins.append(len(steps))
        self.steps = dict(steps[begins[part] : begins[part + 1]])
        self.step = ""
        self.left: set[str] = set()

    def begin(self, number: int) -> None:
        assert not self.left, f"nobody followed {self.left} of: {self.step}"
        self.step = self.steps[str(number)]
        self.left = set(re.findall(r"\*\*([^*]+)\*\*", self.step))

    def end(self) -> None:
        self.begin(max(map(int, self.steps)))
        self.left = set()

    def press(self, name: str, within: str = "body") -> None:
        """What is called so, and can be seen."""
        self._follow(name)
        self._called(PRESSABLE, name, within).click()

    def read(self, name: str, within: str = "main") -> None:
        self._follow(name)
        heads = f"{PRESSABLE}, h1, h2, h3, label, legend, th, dt"
        expect(self._called(heads, name, within)).to_be_visible()

    def says(self, words: str) -> None:
        """The step has these words."""
        assert words in self.step, f"“{words}” is not in: {self.step}"

    def _follow(self, name: str) -> None:
        assert f"**{name}**" in self.step, f"“{name}” is not in: {self.step}"
        self.left.discard(name)

    def _called(self, kinds: str, name: str, within: str) -> Locator:
        exact = re.compile(rf"^\s*{re.escape(name)}(?!\w)", re.I)
        found = self.page.locator(within).locator(kinds).filter(has_text=exact)
        return found.filter(visible=True).first


@contextmanager
def on_phone(page: Page) -> Iterator[None]:
    """The window is as narrow as a phone for a while."""
    window = page.viewport_size
    assert window is not None
    page.set_viewport_size(PHONE)
    yield
    page.set_viewport_size(window)


def wait_for_findings(page: Page) -> None:
    """A worker computes them; the page shows them by itself."""
    expect(page.locator(".findings-foot")).to_be_visible(timeout=PREPARING)


def follow_first(page: Page, run: str) -> None:
    """run: one that has been trained, as that of the first page may not be."""
    reader = Reader(page, 1)
    reader.begin(1)
    page.goto("/")
    reader.press("Open the example")
    page.wait_for_url(re.compile(r"/(overview|runs|corpora)/"))
    reader.begin(2)
    reader.read("Overview")
    page.goto(f"{run}overview/")
    wait_for_findings(page)
    reader.says("Press the name of one topic")
    reader.says("press the name of a family there, then that of a topic")
    with on_phone(page):
        expect(page.locator(".family-lines li p a").first).to_be_hidden()
        expect(page.locator(".family-lines a.family-name").first).to_be_visible()
    page.locator(".family-lines li p a").first.click()  # below the bold name of a family
    page.wait_for_url(re.compile(r"/topics/\d+/"))
    topic = page.url
    reader.begin(3)
    expect(page.locator(".judgement b")).to_have_text(
        re.compile("clear|mixed|general talk|unstable|not judged", re.I)
    )
    reader.read("Words", "main .columns")
    reader.read("Documents", "main .columns")
    reader.begin(4)
    reader.press("the most words", "main .columns")
    page.wait_for_url(re.compile("rank=words"))
    reader.says("the title of one with a shorter bar")
    page.locator("ol.results h3 a").first.click()
    page.wait_for_url(re.compile(r"/documents/\d+/"))
    reader.says("You came from a topic, so only the words of that topic are marked")
    pressed = page.locator(".proportions [aria-pressed=true]")
    expect(pressed).to_have_count(1)
    reader.read("Its topics")
    reader.press("all", ".shows")
    expect(pressed).to_have_count(0)
    reader.says("Press one of these topics to see its words alone")
    page.locator(".proportions [aria-pressed]").first.click()
    expect(pressed).to_have_count(1)
    with on_phone(page):
        page.locator(".proportions [aria-pressed]").nth(1).click()
        reader.press("Back to the text", "main .margin")
        expect(page.locator("#text .w").first).to_be_in_viewport()
    reader.begin(5)
    reader.press("Topics", ".rooms")
    reader.press("Map")
    reader.press("Choose topics", "[data-map]")
    circles = page.locator("[data-map] .circles a")
    with on_phone(page):
        map_drawing = page.locator("[data-map] svg")
        map_drawing.scroll_into_view_if_needed()
        place = map_drawing.bounding_box()
        circles.nth(0).click(force=True)
        expect(page).to_have_url(re.compile("topics="))
        expect(page.locator("[data-part=which]")).to_be_visible()
        assert map_drawing.bounding_box() == place, "the map moved under the pointer"
    circles.nth(1).click(force=True)
    compare = page.locator("[data-map]").get_by_role("link", name="Compare words")
    expect(compare).to_be_in_viewport()
    reader.press("Compare words", "[data-map]")
    page.wait_for_url(re.compile(r"view=grid.*topics=\d+,\d+"))
    grid = page.locator(".grid").locator("..")
    reader.says("which words the two share and, below a line, which set them apart")
    expect(page.locator(".grid-said")).to_contain_text("share")
    hidden = grid.evaluate("(box) => box.scrollHeight - box.clientHeight")
    assert hidden <= 0, "words are below the end of a box that is scrolled by itself"
    reader.begin(6)
    page.goto(topic)
    reader.press("Label, note, colour, merge")
    reader.read("Label")
    page.get_by_label("Label", exact=True).fill("A name of my own")
    expect(page.locator(".curate .change button[type=submit]")).to_be_in_viewport(ratio=1)
    reader.press("Save", ".curate")
    expect(page.get_by_role("heading", level=1)).to_have_text("A name of my own")
    reader.press("Actions")
    reader.press("Labels and notes")
    reader.read("History")
    reader.press("Undo", "main")
    page.goto(topic)
    expect(page.get_by_role("heading", level=1)).not_to_have_text("A name of my own")
    reader.begin(7)
    reader.press("Words", ".rooms")
    reader.says("search for *east*")
    page.get_by_role("combobox").fill("east")
    page.get_by_role("combobox").press("Enter")
    page.wait_for_url(re.compile("/words/east/"))
    reader.press("Lines", "main .sense")
    expect(page.locator(".kwic li").first).to_contain_text("east", ignore_case=True)
    reader.end()


def follow_second(page: Page, run: str) -> None:
    reader = Reader(page, 2)
    page.goto(f"{run}overview/")
    wait_for_findings(page)
    reader.begin(1)
    reader.read("Overview", ".rooms")
    reader.read("What changed")
    changed = page.locator("section", has=page.locator("#change"))
    expect(changed).to_contain_text("interval")
    reader.says("times less, surely")
    reader.says("About other texts of this kind one can be sure only")
    reader.begin(2)
    reader.press("Passages", "section:has(#change)")
    expect(page.locator(".results li, table.documents tbody tr").first).to_be_visible()
    expect(page.locator(".set-chip")).to_be_visible()
    reader.says("press the first × there, so that the next pages are about all documents again")
    page.locator("main, header").get_by_text("×", exact=True).first.click()
    expect(page.locator(".set-chip")).to_have_count(0)
    reader.begin(3)
    reader.press("Time", ".rooms")
    expect(page.locator("main svg").first).to_be_visible()
    with on_phone(page):
        expect(page.get_by_role("link", name="Choose other topics")).to_be_visible()
    reader.press("Choose other topics", "main")
    reader.says("those that are shown are ticked")
    expect(page.locator(".pick-topics [type=checkbox]:checked")).not_to_have_count(0)
    page.locator(".pick-topics [type=checkbox]:not(:checked)").first.check()
    reader.says("which stays at the foot of the window")
    expect(page.get_by_role("button", name="Show these topics")).to_be_in_viewport(ratio=1)
    reader.press("Show these topics", ".pick-topics")
    page.wait_for_url(re.compile(r"topics=\d+"))
    expect(page.locator("[data-trends] figure").first).to_be_in_viewport(ratio=1)
    reader.begin(4)
    reader.press("Documents", ".rooms")
    page.locator("main input[name=q]").first.fill("tariff")
    page.locator("main input[name=q]").first.press("Enter")
    for room in ("Overview", "Time"):
        reader.press(room, ".rooms")
        expect(page.locator(".set-chip")).to_contain_text("tariff")
    reader.says("Press × before you go on")
    page.locator("main, header").get_by_text("×", exact=True).first.click()
    expect(page.locator(".set-chip")).to_have_count(0)
    reader.begin(5)
    reader.press("Time", ".rooms")
    reader.press("Compare two")
    page.get_by_role("link", name="party Republican and Democratic").click()
    reader.press("All words, with intervals")
    page.wait_for_url(re.compile("/words|keyness"))
    reader.says("it compares each president with all other documents")
    page.goto(f"{run}overview/")
    wait_for_findings(page)
    expect(page.get_by_role("heading", name="What differs by president")).to_be_visible()
    reader.says("Of the parties the overview has no such table")
    expect(page.get_by_role("heading", name="What differs by party")).to_have_count(0)
    reader.read("What not to rely on")
    not_to_rely_on = page.locator("section:has(> h2)").filter(
        has=page.get_by_role("heading", name="What not to rely on")
    )
    expect(not_to_rely_on).to_contain_text("Party: ")
    reader.begin(6)
    page.goto(f"{run}time/")
    reader.press("Effects", "main")
    expect(page.get_by_role("heading", level=1)).to_contain_text("How topics depend on")
    reader.begin(7)
    reader.press("Overview", ".rooms")
    wait_for_findings(page)
    reader.read("What not to rely on")
    reader.says("press the name of the corpus at the top")
    page.locator("header a[href*='/corpora/']").first.click()
    reader.read("Words left out, and why")
    reader.end()


def follow_third(page: Page, run: str) -> None:
    reader = Reader(page, 3)
    page.goto(f"{run}topics/2/")
    reader.begin(1)
    reader.press("Define a concept")
    page.get_by_label("Name", exact=True).fill("peace")
    page.get_by_label("Definition").fill("It is about peace.")
    reader.press("Add the concept")
    page.wait_for_url(re.compile(r"/codebook/\d+/"))
    concept = page.url
    reader.begin(2)
    page.get_by_label("How many").fill("60")
    reader.read("Groups that you will compare")
    column = page.locator("input[name=columns]").last
    column.check()
    ticked = column.get_attribute("value")
    page.get_by_label("Percent that two readers code").fill("100")
    reader.press("Draw documents")
    reader.begin(3)
    reader.press("Code yourself")
    page.wait_for_url("**/code/*/")
    page.wait_for_load_state("load")  # its script reads the keys
    page.keyboard.press("1")
    expect(page.locator(".coding-head")).to_contain_text("1 coded")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-coding] [aria-pressed=true]")).to_contain_text("1")
    page.wait_for_load_state("load")
    page.keyboard.press("2")
    expect(page.locator(".coding-head")).to_contain_text("1 coded")
    page.wait_for_load_state("load")
    for number in range(1, 12):
        page.keyboard.press("1" if number % 3 else "2")
        expect(page.locator(".coding-head")).to_contain_text(f"{number + 1} coded")
        page.wait_for_load_state("load")
    with on_phone(page):
        reader.read("Previous text")
        expect(page.get_by_role("link", name="Previous text")).to_be_in_viewport()
    reader.press("Back to the concept")
    expect(page).to_have_url(concept)
    reader.press("Make a link for other coders")
    link = page.locator("code.secret a")
    expect(link).to_have_attribute("href", link.inner_text())
    reader.says("the link opens on this computer only")
    expect(page.locator("main")).to_contain_text("at this computer can code by this link")
    expect(page.locator("main")).not_to_contain_text("Anyone")
    reader.begin(4)
    reader.press("Agreement")
    page.goto(concept)
    reader.read("Change the definition")
    reader.begin(5)
    reader.press("Estimates")
    expect(page.locator("[aria-label='Compare by'] [aria-current]")).to_have_text(ticked)
    reader.read("Predictions counted")
    reader.read("In these texts")
    with on_phone(page):
        estimate = page.locator(".cells td.n").first
        expect(estimate).to_contain_text("have the code")
        assert estimate.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth"), "is cut off"
    reader.begin(6)
    page.goto(f"{run}topics/2/")
    reader.press("Effects", ".page-tools")
    reader.press("Does it hold in other runs?")
    reader.read("Train further runs")
    reader.begin(7)
    reader.press("Pin", ".page-tools")
    reader.press("Pin", ".page-tools form")
    expect(page.get_by_role("status")).to_contain_text("Pinned in")
    reader.press("Notebooks", "header")
    page.locator("main table a").first.click()
    reader.read("Share and export")
    reader.says("as Word, HTML or Markdown, or print it")
    expect(page.locator("main")).to_contain_text("Markdown, Word, HTML")
    reader.says("The heading of a pin leads back to its page of the run")
    page.locator("main h2 a").first.click()
    page.locator(".menu summary", has_text="Export").click()
    reader.read("Methods", ".menu")
    reader.press("Deposit", ".menu")
    reader.says("Tick your notebook")
    expect(page.locator("form.deposit").get_by_label("notes of").first).to_be_visible()
    reader.end()


def follow_fourth(page: Page, run: str) -> None:
    """How many topics, and topics that are named beforehand."""
    reader = Reader(page, 4)
    reader.begin(1)
    page.goto(f"{run}overview/")
    wait_for_findings(page)
    reader.read("Overview", ".rooms")
    reader.press("How many topics?")
    page.wait_for_url("**/how-many/")
    reader.press("Try", "main")
    reader.begin(2)
    expect(page.locator("svg.few-to-many")).to_be_visible(timeout=PREPARING)
    reader.says("the last sentence, about a short training with as many topics and another seed")
    last_sentence = page.locator(".how-many-said li").last
    expect(last_sentence).to_contain_text(
        "in a short training with as many topics and another seed"
    )
    reader.read("Overview", ".rooms")
    reader.begin(3)
    with on_phone(page):
        expect(page.get_by_text("Scroll it sideways")).to_be_visible()
    expect(page.get_by_text("Scroll it sideways")).to_be_hidden()
    reader.read("The same as a table")
    expect(page.locator(".how-many tbody tr")).to_have_count(12)
    reader.begin(4)
    reader.press("Train with", "main")
    page.wait_for_url(re.compile(r"topics=4#train"))
    expect(page.get_by_label("Number of topics")).to_have_value("4")
    reader.begin(5)
    reader.press("Name topics beforehand", "main")
    reader.read("Topics that you name")
    page.get_by_label("Topics that you name").fill("Slavery: slavery, slaves, slave, emancipation")
    reader.press("Count them in the texts", "main")
    expect(page.locator("#named table").first).to_contain_text("emancipation")
    expect(page.get_by_label("Number of topics")).to_have_value("4")
    expect(page.locator(".disk-help")).to_contain_text("With 4 topics a run takes about")
    reader.begin(6)
    reader.read("Train", ".train")
    reader.says("the first topic, T00, has the name that you gave it")
    reader.end()


def follow_languages(page: Page, texts: bytes) -> None:
    """Texts in several languages, each trained by itself. texts: a CSV."""
    reader = Reader(page, 4, part=1)
    reader.begin(1)
    page.goto("/")
    file = {"name": "towns.csv", "mimeType": "text/csv", "buffer": texts}
    page.locator("input[name=files]").set_input_files(file)
    reader.press("Upload")
    page.wait_for_url("**/prepare/")
    expect(page.locator("main")).to_contain_text("in several languages: German 57%, French 43%")
    reader.says("The shares are of the texts whose language is known")
    expect(page.locator("main")).to_contain_text("of the texts whose language is known")
    page.get_by_label("Train topics as soon as it has been read").uncheck()
    reader.press("Read the corpus")
    page.wait_for_url("**/corpora/*/")
    reader.begin(2)
    heading = page.get_by_role("heading", name="Languages")
    expect(heading).to_be_visible(timeout=PREPARING)
    reader.read("Languages")
    reader.press("Train one run in each language")
    page.wait_for_url("**/languages/")
    languages = page.url
    reader.begin(3)
    reader.read("Languages")
    over_time = page.get_by_role("link", name="over time")
    expect(over_time).to_have_count(LANGUAGES, timeout=PREPARING)  # shown without a reload
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(LANGUAGES)
    expect(rows.first).to_contain_text("Done")
    reader.press("over time")
    page.wait_for_url("**/time/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    reader.begin(4)
    page.goto(languages)
    reader.read("Languages")
    page.get_by_role("link", name="1 document").click()
    expect(page.locator("main")).to_contain_text("1 document")
    reader.end()


def test_what_is_it_about(page: Page, example):
    follow_first(page, example.at)


def test_what_changed(page: Page, example):
    follow_second(page, example.at)


def test_from_a_topic_to_a_claim(page: Page, example):
    follow_third(page, example.at)


def test_how_many_topics_and_which(page: Page, example):
    follow_fourth(page, example.at)


def test_texts_in_several_languages(page: Page, example):
    follow_languages(page, table())


def test_lessons_lead_to_each_other_and_are_linked_everywhere(page: Page, example):
    page.goto(example.at)
    page.get_by_role("link", name="Lessons").click()
    listed = page.get_by_role("navigation", name="Lessons", exact=True)
    expect(listed.get_by_role("link")).to_have_count(len(LESSONS))
    for path in LESSONS[1:]:
        title = path.read_text().splitlines()[0].removeprefix("# ")
        listed.get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator(".lesson li").first).to_be_visible()
