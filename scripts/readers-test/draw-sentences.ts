import { createHash } from 'node:crypto';
import type { Family, ProductText } from '../../test/support/product-texts.js';

/** Sources of product texts: help with schema fields, errors, guides with reference pages, and READMEs. */
export const SOURCES = ['help', 'errors', 'guides', 'READMEs'] as const;
export type Source = (typeof SOURCES)[number];

const SOURCE_OF: Readonly<Record<Family, Source>> = {
  help: 'help',
  fields: 'help',
  errors: 'errors',
  guides: 'guides',
  pages: 'guides',
  README: 'READMEs',
  services: 'READMEs',
};

export interface DrawnSentence {
  source: Source;
  path: string;
  line: number;
  sentence: string;
}

/** Minimum words of a sentence. Shorter texts are names and numbers. */
const FEWEST_WORDS = 4;
const countWords = (text: string) => text.split(' ').filter((word) => /\p{L}/u.test(word)).length;
/** Page with the sentences of the last test. */
const PAGE = 'docs/contribute/readers-test.md';

/**
 * Draws sentences evenly over the sources. Sentences are ordered by the SHA-256 of seed and sentence, and the lowest
 * are drawn. The same seed and sentence therefore always give the same place, whatever else changes.
 *
 * @param count total of all sources, a multiple of their number
 * @throws if a source has too few sentences
 */
export function drawSentences(texts: readonly ProductText[], seed: string, count: number): DrawnSentence[] {
  return SOURCES.flatMap((source) => {
    const sentences = new Map<string, DrawnSentence>();
    for (const { family, path, line, text, shown = text, isPart = false } of texts)
      if (SOURCE_OF[family] === source && !isPart && path !== PAGE && countWords(shown) >= FEWEST_WORDS && !sentences.has(shown))
        sentences.set(shown, { source, path, line, sentence: shown });
    const placed = [...sentences.values()].map((drawn) => ({ drawn, place: hash(`${seed}\n${drawn.sentence}`) }));
    const wanted = count / SOURCES.length;
    if (placed.length < wanted) throw new Error(`${source} has ${placed.length} sentences, and ${wanted} are drawn`);
    placed.sort((one, other) => (one.place < other.place ? -1 : 1));
    return placed.slice(0, wanted).map(({ drawn }) => drawn);
  });
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
