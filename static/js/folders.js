// Files that were chosen or dropped, each with its place in the folders: [{ name: "letters/1901/a.txt", file }].
const order = new Intl.Collator("en", { numeric: true });
const HIDDEN = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i; // what systems add to folders by themselves

/** In the order of their names, without what systems add; one that was chosen by its own name always counts. */
export function sorted(files) {
  return files.filter(({ name }) => !(name.includes("/") && HIDDEN.test(name))).sort((a, b) => order.compare(a.name, b.name));
}

export const chosen = (list) => [...list].map((file) => ({ name: file.webkitRelativePath || file.name, file }));

/** What a drop holds, folders to any depth. found(count) is told how far it is. */
export async function dropped(transfer, found) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // at once: it is empty after the event
  if (!entries.length) return chosen(transfer.files);
  const files = [];
  const waiting = entries.reverse();
  while (waiting.length) {
    const entry = waiting.pop();
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      files.push({ name: entry.fullPath.replace(/^\//, ""), file });
      if (files.length % 500 === 0) found(files.length);
    } else {
      const reader = entry.createReader();
      let some;
      do { // a hundred or so at a time
        some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        waiting.push(...some);
      } while (some.length);
    }
  }
  return files;
}
