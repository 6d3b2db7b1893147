"""Classes: a teacher's course, whose students join by a link, train on its corpus and hand in
notebooks. docs/courses.md."""
