import { stringify } from 'yaml';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';

/** The formats that a definition can be written in. */
export const TARGETS = ['yaml', 'json'] as const;

/** What a file says, in another format. Aliases are resolved, comments are lost, `!raw` becomes `{ raw: … }`. */
export function converted(source: Source, to: (typeof TARGETS)[number]): string {
  const value = withRaw(source.value, [], source);
  return to === 'json'
    ? `${JSON.stringify(value, null, 2)}\n`
    : stringify(value, { indent: 2, lineWidth: 0, aliasDuplicateObjects: false });
}

function withRaw(value: unknown, path: Path, source: Source): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withRaw(item, [...path, index], source));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withRaw(one, [...path, key], source)]));
  return typeof value === 'string' && source.isRaw?.(path) ? { raw: value } : value;
}
