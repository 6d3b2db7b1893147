// A page that follows something: the state from its .json twin, news from its event stream.

const PATIENCE = 3000; // ms without a connection before the page says so: a reload of the server is shorter
const AGAIN = 5000; // ms after which the state is asked for once more, where it did not come or no news do
export const LOST = "The connection to the server is lost. The work there continues, and so does this page when the connection is back.";

// follow({json, events, onState, onEvent, onLost}): asks for the state now, and again whenever a connection opens, so
// that nothing that happened in between is missed. onLost hears a sentence, or "" when all is well again. Returns {refresh, stop}.
export function follow({ json, events, onState, onEvent, onLost }) {
  const lost = { state: "", events: "" };
  let request, source, patience, retry, again, stopped = false;

  async function refresh() {
    request?.abort(); // only the newest answer counts
    request = new AbortController();
    clearTimeout(again);
    try {
      const answer = await fetch(json, { signal: request.signal, headers: { Accept: "application/json" } });
      if ([401, 403, 404].includes(answer.status)) return location.reload(); // it is gone, or may not be seen any more: the page says so
      if (!answer.ok) throw new Error(answer.status === 503 ? (await answer.json()).error : "");
      const state = await answer.json();
      worry("state", "");
      onState(state);
      if (state.workers === null && !stopped) again = setTimeout(refresh, AGAIN); // what carries the news is away
    } catch (error) {
      if (error.name === "AbortError" || stopped) return;
      worry("state", (error.name === "Error" && error.message) || LOST);
      again = setTimeout(refresh, AGAIN);
    }
  }

  function worry(about, sentence) {
    lost[about] = sentence;
    if (!lost.state && !lost.events) {
      clearTimeout(patience);
      patience = undefined;
      onLost("");
    } else patience ??= setTimeout(() => { patience = undefined; onLost(lost.state || lost.events); }, PATIENCE);
  }

  function connect() {
    source = new EventSource(events);
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (event.status === "deleted") return location.reload();
      if (event.type === "open") worry("events", "");
      else onEvent(event);
      if (event.type === "open" || (event.type === "workers" && event.alive === null)) refresh();
    };
    source.onerror = () => {
      if (stopped) return;
      worry("events", LOST);
      // The browser reconnects by itself after a broken connection, but gives up after an answer such as 502 or 404.
      if (source.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(connect, 2000 + 3000 * Math.random());
      refresh();
    };
  }

  function stop() {
    stopped = true;
    source?.close();
    clearTimeout(retry);
    clearTimeout(again);
    clearTimeout(patience);
  }

  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  connect();
  refresh();
  return { refresh, stop };
}

// What a page that is not at its end says of those who work on it: workers, how many, null where nobody can tell.
export function ofWorkers(workers) {
  if (workers === 0) return "No worker is running, so nothing is read or trained. Start one, and this page continues by itself.";
  if (workers === null) return "Live updates do not arrive at the moment. The work continues, and this page asks for the numbers every few seconds.";
  return "";
}
