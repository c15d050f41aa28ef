import { LIMITS } from '../../../core/limits.js';
import { placeAt } from '../../source/hidden.js';
import type { Path } from '../../source/problem.js';
import type { Place } from '../../source/source.js';
import { type Token, tokenize } from './tokens.js';

/**
 * Finds the keys and values of the object that a program exports, if the program writes them out. A computed or
 * imported value has the place of the nearest written value around it, or of the default export.
 */
export function keyPlaces(program: string): (path: Path, at: 'key' | 'value') => Place {
  const tokens = tokenize(program);
  const keys = new Map<string, number>();
  const values = new Map<string, number>();
  const exported = tokens.findIndex(({ text }, index) => text === 'default' && tokens[index - 1]?.text === 'export');
  const object = exported === -1 ? -1 : objectFrom(tokens, exported + 1);
  if (object !== -1) new Scan(tokens, keys, values).object(object, []);
  const start = tokens[exported - 1]?.at ?? 0;
  return (path, at) => {
    for (let length = path.length; length > 0; length--) {
      const id = idOf(path.slice(0, length));
      const byKey = at === 'key' && length === path.length;
      const found = byKey ? (keys.get(id) ?? values.get(id)) : (values.get(id) ?? keys.get(id));
      if (found !== undefined) return placeAt(program, found);
    }
    return placeAt(program, start);
  };
}

const idOf = (path: Path): string => path.join('\n');

/** Finds the begin of the exported object: an argument of a function, its result, or a constant. */
function objectFrom(tokens: readonly Token[], from: number): number {
  const [first, second] = [tokens[from], tokens[from + 1]];
  const isName = first?.kind === 'word' && first.text !== 'function' && (!second || !['(', '<', '=>'].includes(second.text));
  if (isName) {
    const named = tokens.findIndex(({ text }, index) => text === first.text && tokens[index - 1]?.text === 'const');
    const equals = named === -1 ? -1 : tokens.findIndex(({ text }, index) => index > named && text === '=');
    return equals === -1 ? -1 : objectFrom(tokens, equals + 1);
  }
  for (let index = from; index < tokens.length; index++) {
    if (tokens[index]?.text !== '{' || tokens[index]?.kind !== 'sign') continue;
    const before = tokens[index - 1]?.text ?? '';
    const end = closing(tokens, index);
    const after = tokens[end + 1]?.text;
    // Parameters of a function, and its type.
    if (before === '<' || before === ':' || after === ':' || (after === ')' && tokens[end + 2]?.text === '=>')) index = end;
    // Body of a function, which has its result.
    else if (before !== '=>' && before !== ')') return index;
  }
  return -1;
}

function closing(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const { kind, text } = tokens[index] as Token;
    if (kind !== 'sign') continue;
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text) && --depth === 0) return index;
  }
  return tokens.length;
}

/** Notes keys and values as it goes through an object. */
class Scan {
  constructor(
    private readonly tokens: readonly Token[],
    private readonly keys: Map<string, number>,
    private readonly values: Map<string, number>,
  ) {}

  #text = (index: number): string | undefined => this.tokens[index]?.text;

  object(from: number, path: Path): void {
    const end = closing(this.tokens, from);
    for (let index = from + 1; index < end; ) {
      const key = this.tokens[index] as Token;
      const here = [...path, key.text];
      if (key.kind !== 'sign' && [':', ',', '}'].includes(this.#text(index + 1) ?? '')) {
        this.keys.set(idOf(here), key.at);
        if (this.#text(index + 1) === ':') this.value(index + 2, here);
      }
      index = this.next(index, end);
    }
  }

  list(from: number, path: Path): void {
    const end = closing(this.tokens, from);
    for (let index = from + 1, place = 0; index < end; place++) {
      // How many these are is not known before it runs.
      if (this.#text(index) === '...') return;
      this.value(index, [...path, place]);
      index = this.next(index, end);
    }
  }

  value(index: number, path: Path): void {
    const token = this.tokens[index];
    if (!token || path.length > LIMITS.fileDepth) return;
    this.values.set(idOf(path), token.at);
    if (token.kind === 'sign' && token.text === '{') this.object(index, path);
    else if (token.kind === 'sign' && token.text === '[') this.list(index, path);
  }

  /** Position after the next comma of the same level. */
  next(from: number, end: number): number {
    let depth = 0;
    for (let index = from; index < end; index++) {
      const { kind, text } = this.tokens[index] as Token;
      if (kind !== 'sign') continue;
      if ('([{'.includes(text)) depth += 1;
      else if (')]}'.includes(text)) depth -= 1;
      else if (text === ',' && depth === 0) return index + 1;
    }
    return end;
  }
}
