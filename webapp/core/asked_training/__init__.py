"""What a training may be asked for, before there is a run: its schema (`schema`) and forms
(`forms`), the topics that are named beforehand (`named_topics`), what a run keeps of them and of
changes of its parent's topics (`stored_steering`), and how its page says all that (`described`)."""
