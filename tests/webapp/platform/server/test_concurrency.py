"""When more comes than can be done: what waits, what is refused, and that it recovers by itself."""

import asyncio
import gc
import threading

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncClient, RequestFactory

from webapp.platform.request_context import request_context
from webapp.platform.server import concurrency
from webapp.platform.server.concurrency import ConcurrencyLimiter, Overloaded


def limiter(**more) -> ConcurrencyLimiter:
    return ConcurrencyLimiter(
        "test", **{"capacity": 1, "queue": 2, "max_wait": 5.0, "per_client": 9} | more
    )


def empty(limiter: ConcurrencyLimiter) -> bool:
    return (limiter.active, len(limiter.waiting), len(limiter.by_client)) == (0, 0, 0)


def test_others_wait_in_the_order_in_which_they_came():
    async def go():
        one = limiter()
        came = []
        await one.acquire("a")

        async def visit(name):
            await one.acquire(name)
            came.append(name)
            one.release(name)

        waiting = [asyncio.ensure_future(visit(name)) for name in "bc"]
        await asyncio.sleep(0)
        assert len(one.waiting) == 2 and came == []
        with pytest.raises(Overloaded) as full:
            await one.acquire("d")
        assert (full.value.status, full.value.reason) == (503, "test: queue")
        one.release("a")
        await asyncio.gather(*waiting)
        assert came == ["b", "c"] and empty(one)

    asyncio.run(go())


def test_patience_ends_and_one_client_has_its_share():
    async def go():
        one = limiter(max_wait=0.01, per_client=1)
        await one.acquire("a")
        with pytest.raises(Overloaded) as full:
            await one.acquire("a")
        assert full.value.status == 429
        with pytest.raises(Overloaded) as full:
            await one.acquire("b")
        assert (full.value.status, full.value.reason) == (503, "test: patience")
        one.release("a")
        assert empty(one)

    asyncio.run(go())


def test_who_goes_while_waiting_leaves_no_gap():
    """Also in the moment in which its turn has come."""

    async def go():
        one = limiter()
        await one.acquire("a")
        first, second = (asyncio.ensure_future(one.acquire(name)) for name in "bc")
        await asyncio.sleep(0)
        one.release("a")  # b's turn
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await second
        one.release("c")
        assert first.cancelled() and empty(one)

    asyncio.run(go())


def test_a_patience_that_ends_as_a_place_is_left():
    """Who leaves passes by a turn that is over already, before the one whose it was could say
    so."""

    async def go():
        one = limiter()
        await one.acquire("a")
        first, second = (asyncio.ensure_future(one.acquire(name)) for name in "bc")
        await asyncio.sleep(0)
        one.waiting[0].cancel()  # as a timeout does; whoever waits for it goes on after this
        one.release("a")
        assert isinstance(
            (await asyncio.gather(first, return_exceptions=True))[0], asyncio.CancelledError
        )
        await second
        one.release("c")
        assert empty(one)

    asyncio.run(go())


@pytest.mark.parametrize(
    ("address", "limiters"),
    [
        ("/healthz", []),
        ("/readyz", []),
        ("/metrics", []),
        ("/", [concurrency.PAGES]),
        ("/no/such/page/", [concurrency.PAGES]),
        ("/api/v1/corpora", [concurrency.PAGES]),
        ("/runs/1/events", [concurrency.STREAMS, concurrency.STREAM_STARTS]),
        ("/corpora/1/events", [concurrency.STREAMS, concurrency.STREAM_STARTS]),
        ("/uploads/", [concurrency.UPLOADS, concurrency.UPLOAD_STARTS]),
        ("/uploads/x/", [concurrency.UPLOADS, concurrency.UPLOAD_STARTS]),
        ("/corpora/1/prepare/", [concurrency.HEAVY, concurrency.PAGES]),
        ("/runs/1/export/topics.csv", [concurrency.FILES]),
        ("/runs/1/topics/", [concurrency.PAGES]),
        ("/runs/1/topics/?view=map", [concurrency.HEAVY, concurrency.PAGES]),
        ("/compare.json?run=1&run=2", [concurrency.HEAVY, concurrency.PAGES]),
    ],
)
def test_each_kind_has_its_limiter(address, limiters):
    assert concurrency.limiters(RequestFactory().get(address)) == limiters


@pytest.fixture
def full(monkeypatch):
    """One place for pages, which is taken; nobody may wait."""
    one = limiter(queue=0)
    monkeypatch.setattr(concurrency, "PAGES", one)
    one.active = 1
    return one


@pytest.mark.django_db
def test_a_refusal_is_a_clear_page_and_the_rest_goes_on(full, django_assert_num_queries):
    async def go():
        client = AsyncClient()
        page = await client.get("/glossary/?q=<b>")
        twin = await client.get("/glossary.json")
        health, static = await client.get("/healthz"), await client.get("/static/icon.svg")
        full.active = 0
        return page, twin, health, static, await client.get("/glossary/")

    page, twin, health, static, after = async_to_sync(go)()
    text = page.content.decode()
    assert (
        page.status_code == twin.status_code == 503
        and page["Retry-After"] == twin["Retry-After"] == "5"
    )
    assert (
        "Busy just now" in text
        and page["X-Request-ID"] in text
        and "?q=%3Cb%3E" in text
        and "<b>" not in text
    )
    assert twin.json()["error"].endswith("Try again in 5 seconds.")
    assert (health.status_code, static.status_code, after.status_code) == (
        200,
        200,
        200,
    ) and full.active == 0


@pytest.mark.django_db
def test_a_client_that_asks_for_too_much_is_told_so(monkeypatch):
    monkeypatch.setattr(concurrency, "PAGES", limiter(per_client=0))
    response = async_to_sync(AsyncClient().get)("/glossary/")
    assert (
        response.status_code == 429
        and response["Retry-After"] == "2"
        and "Busy just now" in response.content.decode()
    )


@pytest.mark.django_db
def test_a_stream_keeps_its_place_until_it_ends_and_no_connection(trained, monkeypatch):
    one = limiter(queue=0, per_client=1)
    monkeypatch.setattr(concurrency, "STREAMS", one)

    async def go():
        client = AsyncClient()
        first = await client.get(f"/runs/{trained.pk}/events")
        active = one.active
        assert empty(concurrency.STREAM_STARTS)
        second = await client.get(f"/runs/{trained.pk}/events")
        first.close()
        await asyncio.sleep(0)
        return first.status_code, active, second.status_code

    assert async_to_sync(go)() == (200, 1, 429)
    assert empty(one)


def test_a_stream_that_nobody_closes_leaves_its_place(monkeypatch):
    """Its reader went in a moment in which only a middleware could have heard of it."""
    one = limiter(queue=0)
    monkeypatch.setattr(concurrency, "PAGES", one)

    async def stream(request):
        return StreamingHttpResponse(iter([b"x"]))

    async def go():
        response = await concurrency.limit_concurrency(stream)(RequestFactory().get("/"))
        assert one.active == 1
        del response
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(go())
    assert empty(one)


def test_a_request_whose_client_has_gone_keeps_its_place_until_its_work_ends(monkeypatch):
    """And is told, so that it can end early. One that has not begun gives its place back at
    once."""
    pages, began, go_on = limiter(), threading.Event(), threading.Event()
    monkeypatch.setattr(concurrency, "limiters", lambda request: [pages])

    def view(request):
        began.set()
        assert request_context(request).abandoned.wait(5)
        go_on.wait(5)
        return HttpResponse()

    async def go():
        middleware = concurrency.limit_concurrency(
            sync_to_async(concurrency.follow_work(view), thread_sensitive=False)
        )
        working, waiting = (
            asyncio.ensure_future(middleware(RequestFactory().get("/"))) for _ in range(2)
        )
        await asyncio.to_thread(began.wait)
        assert (pages.active, len(pages.waiting)) == (1, 1)
        waiting.cancel()
        working.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)
        assert (pages.active, len(pages.waiting)) == (1, 0)
        go_on.set()
        while pages.active:
            await asyncio.sleep(0.005)
        assert empty(pages)

    asyncio.run(go())
