import { formsOfSecret, SHORTEST } from './secret-forms.js';

/** Masks secrets in texts that programs print. */
export interface Mask {
  /** Returns the text with `***` instead of every secret. Mask a text before you truncate it. */
  hide(text: string): string;
  /**
   * Masks a text that arrives in pieces. Returns the part of each piece that can be shown. The rest is held back until
   * it is known whether a secret continues in the next piece.
   */
  pieces(): (piece: string, isLast: boolean) => string;
}

/** Finds secrets in texts. */
export interface Matcher {
  /** Length of the longest form, in characters. */
  readonly longest: number;
  /** Returns the places of all forms, in order and without overlaps. */
  spans(text: string): [from: number, to: number][];
}

/** Creates a mask for the matches of all matchers, which are requested again for each text. */
export function maskBy(matchers: () => readonly Matcher[]): Mask {
  const spansIn = (text: string) => joined(matchers().flatMap((matcher) => matcher.spans(text)));
  const hide = (text: string): string => {
    let shown = '';
    let at = 0;
    for (const [from, to] of spansIn(text)) {
      shown += `${text.slice(at, from)}***`;
      at = to;
    }
    return at === 0 ? text : shown + text.slice(at);
  };
  return {
    hide,
    pieces() {
      let held = '';
      return (piece, isLast) => {
        const text = held + piece;
        held = isLast ? '' : text.slice(cutOf(text));
        return hide(text.slice(0, text.length - held.length));
      };
    },
  };

  /** Returns the end of the complete part: a match that begins before it also ends before it. */
  function cutOf(text: string): number {
    const longest = Math.max(1, ...matchers().map((matcher) => matcher.longest));
    const cut = Math.max(0, text.length - longest + 1);
    return spansIn(text).find(([from, to]) => from < cut && cut < to)?.[0] ?? cut;
  }
}

/** Creates a function that replaces secrets by `***`, for logs and errors. */
export function createMask(values: Iterable<string>): (text: string) => string {
  const matcher = createMatcher(values);
  return maskBy(() => [matcher]).hide;
}

/** Creates a matcher that finds any number of secrets in one pass: it looks up forms by their first four characters. */
export function createMatcher(values: Iterable<string>): Matcher {
  const forms = new Set([...values].flatMap(formsOfSecret));
  const byStart = new Map<number, string[]>();
  const starts = new Uint8Array(1 << 16);
  let longest = 0;
  for (const form of [...forms].sort((a, b) => b.length - a.length)) {
    longest = Math.max(longest, form.length);
    const start = startAt(form, 0);
    starts[start & 0xffff] = 1;
    byStart.set(start, [...(byStart.get(start) ?? []), form]);
  }
  return {
    longest,
    spans(text) {
      const found: [number, number][] = [];
      if (forms.size === 0) return found;
      for (let at = 0; at + SHORTEST <= text.length; at++) {
        const start = startAt(text, at);
        if (starts[start & 0xffff] === 0) continue;
        const form = byStart.get(start)?.find((one) => text.startsWith(one, at));
        if (form !== undefined) found.push([at, at + form.length]);
      }
      return joined(found);
    },
  };
}

const startAt = (text: string, at: number): number => {
  let start = 0;
  for (let index = at; index < at + SHORTEST; index++) start = (Math.imul(start, 31) + text.charCodeAt(index)) | 0;
  return start;
};

/** Merges overlapping spans, so that nothing of either is left between. */
function joined(spans: [number, number][]): [number, number][] {
  const sorted = spans.sort(([a], [b]) => a - b);
  const result: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
