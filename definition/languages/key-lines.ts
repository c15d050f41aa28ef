import type { Path } from '../source/problem.js';
import type { Place } from '../source/source.js';

/**
 * Finds the line of a path's key in KCL or Nickel, as far as its names can be followed line by line: `servers`, then
 * the second `name`. Otherwise returns the nearest line found.
 */
export function keyLines(text: string): (path: Path, at: 'key' | 'value') => Place {
  const lines = text.split('\n').map((line) => line.replace(/#.*$/, ''));
  return (path) => {
    let place: Place = { line: 1, column: 1 };
    let line = 0;
    let column = 0;
    for (const [depth, key] of path.entries()) {
      if (typeof key === 'number') continue;
      const before = path[depth - 1];
      // The entries of a list are told by the key that each has first.
      for (let skip = typeof before === 'number' ? before : 0; skip >= 0; skip--) {
        const found = find(lines, key, line, column);
        if (!found) return place;
        place = found;
        line = found.line - 1;
        column = found.column;
      }
    }
    return place;
  };
}

function find(lines: readonly string[], key: string, from: number, behind: number): Place | undefined {
  const pattern = new RegExp(`(?<![\\w.-])\\$?"?${key.replace(/[^\w-]/g, '\\$&')}"?\\s*(?:=|:|\\|)`, 'g');
  for (let line = from; line < lines.length; line++) {
    pattern.lastIndex = line === from ? behind : 0;
    const match = pattern.exec(lines[line] ?? '');
    if (match) return { line: line + 1, column: match.index + 1 };
  }
  return undefined;
}
