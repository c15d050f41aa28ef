import type { FileContent } from './contents.js';

/** How a web server writes its configuration. */
export interface Language {
  /** End of a directive without a block. */
  ends: ';' | '\n';
  quotes: string;
}

/** nginx: `root /srv; location / { … }`. */
export const NGINX: Language = { ends: ';', quotes: `'"` };
/** caddy: a directive a line. */
export const CADDY: Language = { ends: '\n', quotes: '"`' };

/**
 * Returns the reason why a content cannot be inside the block of a site. Undefined if it can, as far as this is
 * visible without the server.
 *
 * @param elsewhere directives that follow from other keys, each with the alternative
 */
export function directivesProblem(
  { text }: FileContent,
  language: Language,
  elsewhere: Readonly<Record<string, string>>,
): string | undefined {
  if (text === undefined) return 'directives are a text of UTF-8';
  const { words, isWhole } = outermost(text, language);
  const word = words.find((one) => Object.hasOwn(elsewhere, one));
  if (word !== undefined) return `"${word}" does not stand here: ${elsewhere[word]}`;
  // A site that ends too early would have its rest somewhere else.
  return isWhole ? undefined : 'its braces and quotes are not in pairs';
}

/** The first words of directives that are in no block, and whether each brace and quote has its other one. */
function outermost(text: string, { ends, quotes }: Language): { words: string[]; isWhole: boolean } {
  const words: string[] = [];
  let depth = 0;
  // State of the scan: begin of a directive, begin of a word, or inside a word.
  let at: 'directive' | 'word' | 'inside' = 'directive';
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] as string;
    if (sign === '\\') {
      index += 1;
      at = 'inside';
    } else if (at !== 'inside' && sign === '#') {
      const end = text.indexOf('\n', index);
      if (end < 0) break;
      // The end of the line may end a directive.
      index = end - 1;
    } else if (at !== 'inside' && quotes.includes(sign)) {
      const end = endOfQuote(text, index);
      if (end === undefined) return { words, isWhole: false };
      index = end;
      at = 'inside';
    } else if (sign === ends) at = 'directive';
    else if (/\s/.test(sign)) at = at === 'directive' ? at : 'word';
    else if (sign === '{') {
      depth += 1;
      if (ends === ';') at = 'directive';
    } else if (sign === '}') {
      depth -= 1;
      if (depth < 0) return { words, isWhole: false };
      if (ends === ';') at = 'directive';
    } else {
      if (at === 'directive' && depth === 0) words.push(/^[A-Za-z0-9_-]*/.exec(text.slice(index, index + 100))?.[0] ?? '');
      at = 'inside';
    }
  }
  return { words, isWhole: depth === 0 };
}

function endOfQuote(text: string, begin: number): number | undefined {
  const quote = text[begin];
  for (let index = begin + 1; index < text.length; index++) {
    if (text[index] === '\\' && quote !== '`') index += 1;
    else if (text[index] === quote) return index;
  }
  return undefined;
}
