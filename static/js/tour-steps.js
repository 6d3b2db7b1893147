// The tour of the example corpus: a page a step, and what there is to see on it. `at` is the page's place below its run, or how
// such places look: then the first link to one of them on the page before leads there.
export const offer = {
  title: "Two minutes to look around?",
  text: "Topograph has read two centuries of addresses to Congress and found topics in them. A short tour shows what can be done with them.",
};

export const waiting = "You have left the path of the tour; look around as long as you like.";

export const steps = [
  {
    title: "A run",
    at: "",
    text: "A run finds topics by itself, from nothing but which words occur together. The charts say how it learned. A line that has become "
      + "flat means that longer training would change little.",
  },
  {
    title: "Its topics",
    at: "topics/",
    text: "Here are all topics by their most probable words, with the part of all words that each accounts for. Some are plainly about something; "
      + "others are a manner of speaking. What they mean is for you to say.",
  },
  {
    title: "One topic",
    at: /^topics\/\d+\/$/,
    text: "Its words, and the documents in which it is largest. Read two or three of them before you trust its name: the first words "
      + "of a topic can mislead, its documents seldom do.",
  },
  {
    title: "A document",
    at: /^documents\/\d+\/$/,
    text: "This is where every number comes from: the topics of this text, and each of its words with the topic that explains it. Choose a topic "
      + "to see its words marked.",
  },
  {
    title: "A word",
    at: "words/power/",
    text: "“Power” among nations, of Congress, from a river: one word, several topics. What a word means changes with its company, and here "
      + "the model shows it.",
  },
  {
    title: "That is all",
    at: "topics/",
    text: "Runs, topics, documents, words: each leads to the others. Words underlined with dots explain themselves, and the key ? lists the keys. "
      + "Now try it with texts of your own.",
  },
];
