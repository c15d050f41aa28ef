/** What is written waits this long for more, in milliseconds. */
const GATHER_MS = 500;
/** A part is cut at about this many characters. */
const PART_CHARACTERS = 256 * 1024;
/** How long the end of a log waits for a store that is away. */
const CLOSE_MS = 15_000;

/**
 * A log that is kept in parts, in order. A store that is away for a while loses nothing: parts wait here.
 *
 * @param writePart keeps one part, and is called again with the same where it failed
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
      // Work that outlives its attempt may still be speaking: the next attempt hears it again.
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

/** Where a part ends: never between the two halves of a character. */
export function partEnd(text: string, most = PART_CHARACTERS): number {
  const last = text.charCodeAt(most - 1);
  return last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
