/** Delay of a write, in milliseconds, to combine it with later text. */
const GATHER_MS = 500;
/** A part is cut at about this many characters. */
const PART_CHARACTERS = 256 * 1024;
/** How long the end of a log waits for a store that is away. */
const CLOSE_MS = 15_000;

/**
 * Creates a log that is stored in parts, in order. Parts wait during an outage of the store, so nothing is lost.
 *
 * @param writePart stores one part, and is called again with the same part after a failure
 */
export function createGatheredLog(writePart: (part: number, text: string) => Promise<void>): {
  write(text: string): void;
  close(): Promise<void>;
} {
  let waiting = '';
  let part = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  const flush = async () => {
    while (waiting !== '') {
      const text = waiting.slice(0, partEnd(waiting));
      await writePart(part, text);
      waiting = waiting.slice(text.length);
      part++;
    }
  };
  const later = () => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      flushing = flushing.then(flush).catch(later);
    }, GATHER_MS);
  };
  return {
    write(text) {
      // Work that outlives its attempt may still print: the next attempt reads that output again.
      if (closed || text === '') return;
      waiting += text;
      later();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await flushing.catch(() => {});
      for (const until = Date.now() + CLOSE_MS; ; await pause(GATHER_MS)) {
        try {
          return await flush();
        } catch (error) {
          if (Date.now() > until) throw error;
        }
      }
    },
  };
}

/** Returns the end of a part: never between the two halves of a character. */
export function partEnd(text: string, most = PART_CHARACTERS): number {
  const last = text.charCodeAt(most - 1);
  return last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
