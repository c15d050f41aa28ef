import { formsOfSecret, SHORTEST } from './secret-forms.js';

/** Masks secrets in texts that programs print. */
export interface Mask {
  /** The text with `***` in place of every secret. What is cut short must be masked before it is cut. */
  hide(text: string): string;
  /**
   * The same for a text that comes in pieces. Of each piece is answered what can be shown: the rest is held back until
   * it is known whether a secret goes on in the next one.
   */
  pieces(): (piece: string, isLast: boolean) => string;
}

/** Finds secrets in texts. */
export interface Matcher {
  /** Characters of the longest form. */
  readonly longest: number;
  /** Where forms stand, in order; none touches another. */
  spans(text: string): [from: number, to: number][];
}

/** Masks what any of the matchers finds: those there are at the moment of each text. */
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

  /** Up to where a text is complete: what begins before ends before. */
  function cutOf(text: string): number {
    const longest = Math.max(1, ...matchers().map((matcher) => matcher.longest));
    const cut = Math.max(0, text.length - longest + 1);
    return spansIn(text).find(([from, to]) => from < cut && cut < to)?.[0] ?? cut;
  }
}

/** Replaces secrets in a text by `***`, for logs and errors. */
export function createMask(values: Iterable<string>): (text: string) => string {
  const matcher = createMatcher(values);
  return maskBy(() => [matcher]).hide;
}

/**
 * Finds secrets in one pass over a text, however many there are: forms are looked up by the four characters that they
 * begin with.
 */
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

/** Overlapping ones as one: nothing of either may be left between. */
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
