import { StringDecoder } from 'node:string_decoder';

/** Bytes before the first mark of which the last ones are kept: they say why a script was not begun. */
const KEPT_BEFORE = 4096;
/** Bytes that may come before the first mark. Greetings are short. */
const MOST_BEFORE = 1024 ** 2;

/** Filters a host's stream to the text between the two marks of a script. */
export interface BetweenMarks {
  write(chunk: Buffer): void;
  /** Call it at the end of the stream. */
  end(): void;
  /** Whether the script was begun. */
  hasBegun(): boolean;
  /** The end of what came before the script, as text. */
  before(): string;
}

/**
 * Passes on what stands between two marks of a stream, as soon as it is there.
 *
 * @param onTooMuch told of a stream that goes on and on without a mark
 */
export function readBetweenMarks(mark: string, take: (bytes: Buffer) => void, onTooMuch: () => void): BetweenMarks {
  const sought = Buffer.from(mark);
  let place: 'before' | 'between' | 'behind' = 'before';
  /** Before the script: the end of what came. Within it: what may be the beginning of the second mark. */
  let held: Buffer = Buffer.alloc(0);
  let size = 0;

  function between(bytes: Buffer): void {
    const at = bytes.indexOf(sought);
    const until = at >= 0 ? at : bytes.length - begunMark(bytes, sought);
    held = at >= 0 ? Buffer.alloc(0) : bytes.subarray(until);
    if (at >= 0) place = 'behind';
    if (until > 0) take(bytes.subarray(0, until));
  }

  return {
    write(chunk) {
      if (place === 'behind') return;
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (place === 'between') return between(bytes);
      const at = bytes.indexOf(sought);
      if (at >= 0) {
        place = 'between';
        return between(bytes.subarray(at + sought.length));
      }
      held = bytes.subarray(-KEPT_BEFORE);
      size += chunk.length;
      if (size > MOST_BEFORE) onTooMuch();
    },
    end() {
      if (place === 'between' && held.length > 0) take(held);
      if (place !== 'before') held = Buffer.alloc(0);
    },
    hasBegun: () => place !== 'before',
    before: () => (place === 'before' ? held.toString('utf8') : ''),
  };
}

/** How many bytes at the end may be the beginning of a mark. */
function begunMark(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(-length).equals(mark.subarray(0, length))) return length;
  return 0;
}

/** Passes on text in whole characters, from bytes in any pieces. */
export function decodeChunks(take: (text: string) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  return (bytes) => {
    const text = decoder.write(bytes);
    if (text !== '') take(text);
  };
}
