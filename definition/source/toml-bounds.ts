import { LIMITS } from '../../core/limits.js';
import type { TextFault } from './hidden.js';

const OPENING = new Set(['[', '{']);
const CLOSING = new Set([']', '}']);

/**
 * Finds the first place at which a TOML text exceeds a limit. The parser recurses for each bracket and dot, and takes
 * about 10 µs a character. Strings and comments are skipped by TOML's rules. The parser reports text that is not TOML.
 */
export function tomlExcess(text: string): TextFault | undefined {
  let depth = 0;
  let dots = 0;
  let signs = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === '#') at = endOf(text, '\n', at) - 1;
    else if (sign === '"' || sign === "'") at = endOfText(text, at);
    else if (sign === '.') {
      if (++dots > LIMITS.fileDepth) return { offset: at, message: `a key has more than ${LIMITS.fileDepth} parts` };
    } else if (OPENING.has(sign)) depth += 1;
    else if (CLOSING.has(sign)) depth -= 1;
    if ('=,\n'.includes(sign) || OPENING.has(sign)) dots = 0;
    if ('=,.'.includes(sign) || OPENING.has(sign)) signs += 1;
    if (depth > LIMITS.fileDepth)
      return { offset: at, message: `lists and maps are nested more than ${LIMITS.fileDepth} levels deep` };
    if (signs > LIMITS.tomlSigns)
      return { offset: at, message: `the file has more than ${LIMITS.tomlSigns} keys and signs of TOML` };
  }
  return undefined;
}

/** The offset of a text's last sign. */
function endOfText(text: string, from: number): number {
  const quote = text[from] as string;
  const long = quote.repeat(3);
  if (text.startsWith(long, from)) return ending(text, long, from + 3, quote === '"', '') + 2;
  return ending(text, quote, from + 1, quote === '"', '\n');
}

function ending(text: string, mark: string, from: number, escapes: boolean, last: string): number {
  for (let at = from; at < text.length; at++) {
    if (escapes && text[at] === '\\') at += 1;
    else if (text.startsWith(mark, at) || text[at] === last) return at;
  }
  return text.length;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at;
}
