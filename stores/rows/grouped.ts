/** Delay of a write, in milliseconds, to combine it with later ones. */
const GATHER_MS = 5;

interface Waiting<Item> {
  items: readonly Item[];
  done(): void;
  failed(error: unknown): void;
}

/**
 * Combines writes that are requested at about the same time, in the order of the requests.
 *
 * @param most items of one write; a single request may have more
 * @param write writes all or nothing, and returns once they are on disk
 * @returns a function that returns once its items are written, and throws the errors of `write`
 */
export function groupWrites<Item>(
  write: (items: readonly Item[]) => Promise<void>,
  most: number,
): (items: readonly Item[]) => Promise<void> {
  const waiting: Waiting<Item>[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const group: Waiting<Item>[] = [];
      let count = 0;
      for (const next of waiting) {
        if (count > 0 && count + next.items.length > most) break;
        count += next.items.length;
        group.push(next);
      }
      waiting.splice(0, group.length);
      try {
        await write(group.flatMap(({ items }) => items));
        for (const { done } of group) done();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    isWriting = false;
  }

  return (items) =>
    new Promise((done, failed) => {
      if (items.length === 0) return done();
      waiting.push({ items, done, failed });
      if (isWriting) return;
      isWriting = true;
      setTimeout(() => void writeAll(), GATHER_MS);
    });
}
