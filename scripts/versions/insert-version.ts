import { isMap, isScalar, parseDocument } from 'yaml';
import { newestFirst } from '../../core/versions/newest-first.js';

/**
 * Inserts a version into the text of a `versions.json`, in order. The rest keeps its formatting.
 *
 * @throws Error if the text has no versions
 */
export function insertVersion(text: string, version: string, entry: object): string {
  // JSON is YAML, whose parser returns positions.
  const versions = parseDocument(text).get('versions', true);
  const items = isMap(versions) ? versions.items : [];
  const places = items.flatMap(({ key, value }) => {
    const [from] = (isScalar(key) && key.range) || [];
    const [, to] = (isMap(value) && value.range) || [];
    return from === undefined || to === undefined || !isScalar(key) ? [] : [{ name: String(key.value), from, to }];
  });
  const last = places.at(-1);
  if (!last) throw new Error('it has no versions');
  const next = places.find(({ name }) => newestFirst(version, name) < 0);
  const { from } = next ?? last;
  const before = /[ \t]*$/.exec(text.slice(0, from))?.[0] ?? '';
  const written = `${JSON.stringify(version)}: ${JSON.stringify(entry, undefined, 2)}`.replaceAll('\n', `\n${before}`);
  return next
    ? `${text.slice(0, from)}${written},\n${before}${text.slice(from)}`
    : `${text.slice(0, last.to)},\n${before}${written}${text.slice(last.to)}`;
}
