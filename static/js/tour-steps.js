// The tour of the example corpus: a page a step, and what there is to see on it. `at` is the page's place below its run, or how
// such places look: then the first link to one of them on the page before leads there.
export const offer = {
  title: "Two minutes to look around?",
  text: "Topograph has read two centuries of addresses to Congress and found topics in them. A short tour shows what can be done with them.",
};

export const waiting = "You have left the path of the tour; look around as long as you like.";

export const steps = [
  {
    title: "A run's topics",
    at: "topics/",
    text: "A run found these topics by itself, from nothing but which words occur together. Each line is one: its words, the share of all words "
      + "that it explains, and when. Some are about a subject; others are a manner of speaking. Tick some to compare or merge them.",
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
    text: "This is where every number comes from: the topics of this text, and each of its words with the topic that explains it. Choose a topic "
      + "to see its words marked.",
  },
  {
    title: "Time",
    at: "time/",
    text: "How much of the texts each topic takes up, with its 95% confidence interval. Choose documents, such as those of one party: the choice stays "
      + "at the top of every page until you take it off.",
  },
  {
    title: "A word",
    at: "words/power/",
    text: "“Power” among nations, of Congress, from a river: one word, several topics. What a word means changes with the words around it, and here "
      + "the model shows it.",
  },
  {
    title: "That is all",
    at: "topics/",
    text: "Topics, documents, time, words: each leads to the others. Labels, reading tests and steering are under Actions, files under Export. Words "
      + "underlined with dots explain themselves, and the key ? lists the keys. Now try it with texts of your own.",
  },
];
