import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';

interface Place {
  line: number;
  column: number;
  /** Keys, with `/` between them. */
  path: string;
}

/** Text of a file, or a fault at its position. */
export type FoundText = Place & ({ text: string } | { fault: string; remedy?: string });

/**
 * Returns the texts of maps in YAML or JSON. Unlike the reader of definitions, it accepts every character, because
 * secrets may have any. The parser's messages are left out, since they may quote the text.
 */
export function textsIn(text: string, format: 'json' | 'yaml'): FoundText[] {
  const lines = new LineCounter();
  const at = (offset: number | undefined, path: string): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col), path };
  };
  const fault = (offset = 0): FoundText => ({ ...at(offset, ''), fault: `it is no ${format.toUpperCase()} from here on` });
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) return [fault(error.pos[0])];
    if (format === 'json' && !isJson(text)) return [fault()];
    return walk(document.contents, [], at);
  } catch {
    // Nested deeper than the parser goes.
    return [fault()];
  }
}

type PlaceOf = (offset: number | undefined, path: string) => Place;

function walk(node: unknown, keys: readonly string[], at: PlaceOf, offset?: number): FoundText[] {
  // If there is no value, use the position of its key.
  const place = at((node as Node | null)?.range?.[0] ?? offset, keys.join('/'));
  if (isMap(node))
    return node.items.flatMap(({ key, value }) => {
      const name = isScalar(key) ? String(key.value) : '';
      return walk(value, [...keys, name], at, (key as Node).range?.[0]);
    });
  if (keys.length === 0) return [{ ...place, fault: 'it is not a map of names to values' }];
  if (isScalar(node) && typeof node.value === 'string') return [{ ...place, text: node.value }];
  return [{ ...place, fault: 'each value must be a text', ...(isScalar(node) && { remedy: 'put it in quotes' }) }];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
