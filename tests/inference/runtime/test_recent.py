import threading
import time

from inference.runtime.recent import RecentResults

THREADS = 6
CALLS = 300
KEYS = 9  # more than are kept, so that nearly each call makes one and forgets one


def test_the_last_results_are_kept():
    made = []

    def square(number: int) -> int:
        made.append(number)
        return number**2

    recent: RecentResults[int, int] = RecentResults(2)
    for number in (1, 2, 1, 3, 2, 1):
        assert recent.get(number, lambda number=number: square(number)) == number**2
    assert made == [1, 2, 3, 1]


class SlowKey:
    """A number that lets another thread go on wherever a dictionary is asked for it."""

    def __init__(self, number: int):
        self.number = number

    def __hash__(self) -> int:
        time.sleep(0)
        return self.number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SlowKey) and self.number == other.number


def test_threads_share_them():
    recent: RecentResults[SlowKey, int] = RecentResults(4)
    wrong: list[object] = []

    def ask(first: int) -> None:
        try:
            for call in range(CALLS):
                number = (first + call * call) % KEYS
                result = recent.get(SlowKey(number), lambda number=number: number**2)
                if result != number**2:
                    wrong.append(result)
        except (KeyError, RuntimeError) as error:
            wrong.append(error)

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
