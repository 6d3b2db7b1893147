"""How densely the code of each package is written, beside the range of eight programs that read
well.

    python -m tests.readable                       the packages that are beyond a limit
    python -m tests.readable --all                 every package
    python -m tests.readable webapp/analysis/time  of these files: each package, and the worst passages
    python -m tests.readable --since origin/main   the passages that came since then
    python -m tests.readable --write               lower the numbers of tests/readable.toml
    python -m tests.readable --whole FOLDER        one line for a program to compare with

tests/readable.toml has, for each package, how far it is beyond a limit. These numbers may only
fall; a package that is not there is within all of them (tests/test_readable.py).

A measure can be bettered by making another one worse: so each stands beside the one that the cheap
way out would raise (limits.py). What no measure sees: logic moved into templates, good-looking
names that are wrong, a chain of functions of one line each. Only a reader sees those.
"""
