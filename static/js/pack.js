// Many small files as one: a tar file (POSIX, with names in pax headers) that is put together of the files themselves as a Blob.
// Nothing is read before it is sent, and the same files in the same order give the same bytes, so that it can go on later.
const BLOCK = 512;
const encoder = new TextEncoder();
const padding = (size) => (BLOCK - (size % BLOCK)) % BLOCK;

function header(name, size, type) {
  const block = new Uint8Array(BLOCK);
  const put = (text, at) => block.set(encoder.encode(text), at);
  const octal = (number, digits) => number.toString(8).padStart(digits, "0");
  put(name, 0);
  put("0000600\0" + "0000000\0" + "0000000\0", 100); // mode, owner, group
  put(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124); // size, time
  put("        ", 148); // the sum of the header is made with blanks in its own place
  put(type, 156);
  put("ustar\u000000", 257);
  put(`${octal(block.reduce((sum, byte) => sum + byte, 0), 6)}\0 `, 148);
  return block;
}

// A pax record says its own length in front, in bytes: "21 path=letters/a.txt\n".
function record(name) {
  const body = encoder.encode(` path=${name}\n`);
  let size = body.length + 1;
  while (String(size).length + body.length !== size) size = String(size).length + body.length;
  const bytes = new Uint8Array(size);
  bytes.set(encoder.encode(String(size)));
  bytes.set(body, size - body.length);
  return bytes;
}

function* parts(name, size) {
  const path = record(name);
  yield header("name", path.length, "x");
  yield path;
  yield new Uint8Array(padding(path.length));
  yield header("file", size, "0");
}

/** How many bytes a file takes in a pack. */
export function packed(name, size) {
  const path = record(name).length;
  return BLOCK + path + padding(path) + BLOCK + size + padding(size);
}

export const END = 2 * BLOCK;

/** [{ name, file }] as one Blob. */
export function pack(files) {
  return new Blob([
    ...files.flatMap(({ name, file }) => [...parts(name, file.size), file, new Uint8Array(padding(file.size))]),
    new Uint8Array(END),
  ]);
}
