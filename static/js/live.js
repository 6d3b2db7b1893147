// A page that follows something: the state from its .json twin, news from its event stream.

const PATIENCE = 3000; // ms without a connection before the page says so: a reload of the server is shorter

// follow({json, events, onState, onEvent, onLost}): asks for the state now, and again whenever a connection opens, so
// that nothing that happened in between is missed. Returns {refresh, stop}.
export function follow({ json, events, onState, onEvent, onLost }) {
  let request, source, lost, retry, stopped = false;

  async function refresh() {
    request?.abort(); // only the newest answer counts
    request = new AbortController();
    try {
      const answer = await fetch(json, { signal: request.signal, headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(`${answer.status}`);
      onState(await answer.json());
    } catch (error) {
      if (error.name !== "AbortError") worry();
    }
  }

  function worry() {
    lost ??= setTimeout(() => onLost(true), PATIENCE);
  }

  function connect() {
    source = new EventSource(events);
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (event.status === "deleted") return location.reload();
      if (event.type !== "open") return onEvent(event);
      clearTimeout(lost);
      lost = undefined;
      onLost(false);
      refresh();
    };
    source.onerror = () => {
      if (stopped) return;
      worry();
      // The browser reconnects by itself after a broken connection, but gives up after an answer such as 502.
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, 2000 + 3000 * Math.random());
    };
  }

  function stop() {
    stopped = true;
    source?.close();
    clearTimeout(retry);
    clearTimeout(lost);
  }

  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  connect();
  refresh();
  return { refresh, stop };
}
