// Files on their way to the server by the tus protocol, which goes on where it was: the only file that names tus.
import { END, pack, packed } from "./pack.js";

const PARALLEL = 3;
const PART = 32 << 20; // bytes of a request: proxies limit them (docs/uploads.md)
const AT_ONCE = 1 << 20; // bytes that are sent with the very first request: they can't go on before it is answered
const SMALL = 256 << 10; // bytes: files below it travel in packs
const PACK = { bytes: 16 << 20, files: 2000 };
const DELAYS = [0, 1000, 2000, 4000, 8000, 15000, 30000, 30000, 30000]; // ms between attempts: two minutes, and from the start after each success
const KEPT = 7 * 24 * 3600 * 1000; // ms, as on the server
const STORED = "topograph-upload:";

// Where uploads are remembered: one look for each, and a full store only means that a reload begins that file anew.
const storage = {
  async findAllUploads() {
    return Object.keys(localStorage).filter((key) => key.startsWith(STORED)).flatMap(read);
  },
  async findUploadsByFingerprint(print) { return read(STORED + print); },
  async removeUpload(key) { try { localStorage.removeItem(key); } catch { /* it is not kept there at all */ } },
  async addUpload(print, upload) {
    try { localStorage.setItem(STORED + print, JSON.stringify(upload)); } catch { /* full, or forbidden */ }
    return STORED + print;
  },
};

function read(key) {
  try {
    const upload = JSON.parse(localStorage.getItem(key));
    if (Date.now() - Date.parse(upload.creationTime) < KEPT) return [{ ...upload, urlStorageKey: key }];
    localStorage.removeItem(key);
  } catch { /* nothing, or not ours */ }
  return [];
}

/** What an earlier visit left: [{ uploadUrl, metadata: { filename, files }, size, creationTime, urlStorageKey }]. */
export const earlier = () => { try { return storage.findAllUploads(); } catch { return Promise.resolve([]); } };

export async function forget(uploads) {
  for (const { uploadUrl, urlStorageKey } of uploads) {
    await storage.removeUpload(urlStorageKey);
    if (uploadUrl) await tus.Upload.terminate(uploadUrl, { retryDelays: [] }).catch(() => {}); // gone is gone
  }
}

// cyrb53, by bryc (public domain): tells lists of names apart, no more.
function hash(text) {
  let a = 0xdeadbeef, b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

const print = ({ name, file }) => `${name}|${file.size}|${file.lastModified}`;

// Jobs, a job an upload: large files by themselves, small ones in packs.
function plan(files) {
  const jobs = [];
  let small = null;
  const add = (list, size, bytes) => jobs.push({ files: list, size, bytes, sent: 0, name: list[0].name, packed: size !== bytes });
  const close = () => { if (small) add(small.list, small.size + END, small.bytes); small = null; };
  for (const one of files) {
    if (one.file.size >= SMALL) { add([one], one.file.size, one.file.size); continue; }
    const size = packed(one.name, one.file.size);
    if (small && (small.list.length >= PACK.files || small.size + size > PACK.bytes)) close();
    small ||= { list: [], size: 0, bytes: 0 };
    small.list.push(one);
    small.size += size;
    small.bytes += one.file.size;
  }
  close();
  for (const job of jobs) job.print = job.packed ? `pack|${job.files.length}|${hash(job.files.map(print).join("\n"))}` : print(job.files[0]);
  return jobs;
}

const PAUSED = new Error("paused");

/** states: ready, running, paused, failed (go() tries again), done, cancelled. changed() is called with each. */
export class Transfer {
  constructor(files, endpoint, daysKept, changed) {
    Object.assign(this, { endpoint, daysKept, changed, state: "ready", sentence: "", retrying: false, resumed: 0, lost: false });
    this.count = files.length;
    this.jobs = plan(files);
    this.bytes = this.jobs.reduce((sum, job) => sum + job.bytes, 0);
    this.known = this.jobs.some((job) => read(STORED + job.print).length);
    this.active = new Set();
    this.next = 0;
    this.done = { bytes: 0, files: 0 };
    addEventListener("online", () => { if (this.state === "failed" && this.lost) this.go(); });
  }

  get sent() {
    let sum = this.done.bytes;
    for (const job of this.active) sum += job.size ? (job.sent / job.size) * job.bytes : 0;
    return Math.min(sum, this.bytes);
  }

  get ids() { return this.jobs.map((job) => job.url.split("/").filter(Boolean).pop()); }

  set(state, sentence = "") {
    Object.assign(this, { state, sentence, retrying: false });
    this.changed();
  }

  go() {
    this.lost = false;
    this.set("running");
    if (!this.lanes) {
      this.lanes = Array.from({ length: PARALLEL }, () => this.lane());
      Promise.all(this.lanes).then(() => { if (this.state === "running") this.set("done"); });
    }
    this.open?.();
  }

  pause(state = "paused", sentence = "") {
    if (this.state !== "running") return;
    this.gate = new Promise((resolve) => { this.open = resolve; });
    this.set(state, sentence);
    for (const job of this.active) job.stop();
  }

  async cancel() {
    this.pause();
    this.set("cancelled");
    this.open?.();
    const begun = this.jobs.filter((job) => job.url);
    await forget(begun.map((job) => ({ uploadUrl: job.url, urlStorageKey: STORED + job.print })));
  }

  /** A corpus has been made of it: there is nothing to go on with. */
  settled() {
    for (const job of this.jobs) storage.removeUpload(STORED + job.print);
  }

  async lane() {
    while (this.state !== "cancelled" && this.next < this.jobs.length) {
      const job = this.jobs[this.next];
      this.next += 1;
      this.active.add(job);
      while (!job.finished && this.state !== "cancelled") {
        await this.gate;
        if (this.state !== "cancelled") await this.send(job).catch((error) => { if (error !== PAUSED) this.fail(job, error); });
      }
      this.active.delete(job);
      this.done.bytes += job.bytes;
      this.done.files += job.files.length;
    }
  }

  async send(job) {
    const blob = job.packed ? pack(job.files) : job.files[0].file;
    let upload;
    const mine = () => job.upload === upload && this.state === "running";
    const ended = new Promise((resolve, reject) => {
      job.stop = () => { job.upload = null; upload.abort(); reject(PAUSED); };
      upload = new tus.Upload(blob, {
        endpoint: this.endpoint, uploadUrl: job.url, chunkSize: PART, uploadDataDuringCreation: job.size <= AT_ONCE,
        metadata: { filename: job.name, files: job.files.length, ...(job.packed && { pack: 1 }) },
        fingerprint: async () => job.print, urlStorage: storage, retryDelays: DELAYS,
        onBeforeRequest: () => { if (!mine()) throw PAUSED; },
        onAfterResponse: (request, response) => {
          if (request.getMethod() === "HEAD" && response.getStatus() === 200) {
            const had = Number(response.getHeader("Upload-Offset")) || 0;
            if (!job.url) this.resumed += job.size ? (had / job.size) * job.bytes : 0;
          }
          if (this.retrying) { this.retrying = false; this.changed(); }
        },
        onUploadUrlAvailable: () => { job.url = upload.url; },
        onProgress: (sent) => { job.sent = sent; },
        onShouldRetry: (error) => {
          const status = error.originalResponse?.getStatus() ?? 0;
          const again = mine() && !unreadable(error) && (status === 0 || status >= 500 ? status !== 507 : [408, 409, 423, 429, 460].includes(status));
          if (again && status === 0) { this.retrying = true; this.changed(); }
          return again;
        },
        onSuccess: resolve,
        onError: reject,
      });
      job.upload = upload;
    });
    if (!job.url) {
      const [previous] = await upload.findPreviousUploads();
      if (previous) upload.resumeFromPreviousUpload(previous);
    }
    if (mine()) upload.start();
    await ended;
    job.finished = true;
    job.url = upload.url;
  }

  fail(job, error) {
    job.upload = null;
    const answer = error.originalResponse;
    let sentence;
    if (unreadable(error)) sentence = `“${job.name}” can’t be read any more: it was changed, moved or removed since it was chosen. Choose the files again; what has arrived is not sent twice.`;
    else if (!answer) {
      this.lost = true;
      sentence = `The server can’t be reached. What has arrived is kept there for ${this.daysKept} days: continue when the connection is back, here or by choosing the same files again.`;
    } else {
      try { sentence = JSON.parse(answer.getBody()).error; } catch { /* from a proxy, perhaps */ }
      sentence ||= `The server answered ${answer.getStatus()}${answer.getStatus() === 413 ? ": a proxy in front of it refuses requests of 32 MB" : ""}. What has arrived is kept.`;
    }
    this.pause("failed", sentence);
  }
}

const unreadable = (error) => error instanceof DOMException || error.causingError instanceof DOMException;
