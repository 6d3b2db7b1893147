// The tour of the example corpus: a page a step, and what there is to see on it. `at` is the page's place below its run, or how
// such places look: then the first link to one of them on the page before leads there.
export const waiting = "You have left the tour. Look around as long as you like.";

export const steps = [
  {
    title: "What was found",
    at: "overview/",
    text: "What the texts are about, what rose and fell, and typical passages. Each sentence has its interval, and opens the passages "
      + "behind it.",
  },
  {
    title: "Topics",
    at: "topics/",
    text: "The model found these topics by itself, only from which words occur together. Each line is a topic: its words, its share of all words "
      + "and its share over time. Some topics are about a subject; others are a way of speaking. Tick some to compare or merge them.",
  },
  {
    title: "One topic",
    at: /^topics\/\d+\/$/,
    text: "The sentence at the top says whether it is a good topic, and why. Below are its words and the documents in which it is largest. Read two or "
      + "three of them before you trust its name.",
  },
  {
    title: "A document",
    at: /^documents\/\d+\/$/,
    text: "This is where every number comes from: the topics of this text, and the topic of each of its words. Choose a topic "
      + "to see its words marked.",
  },
  {
    title: "Time",
    at: "time/",
    text: "How much of the texts each topic takes up, and how that changed. Choose documents, such as those of one party: the choice stays "
      + "at the top of every page until you take it off.",
  },
  {
    title: "A word",
    at: "words/east/",
    text: "The Middle East, the Far East, east of the Mississippi: one word in several topics. Each topic is a sense of the word, with the "
      + "lines in which it is used so.",
  },
  {
    title: "That is all",
    at: "overview/",
    text: "Topics, documents, time and words link to each other. Labels, reading tests and steering are under Actions, files under Export. Click a word "
      + "underlined with dots to read what it means; press ? for the keys. Now try it with texts of your own.",
  },
];
