import { stringify } from 'yaml';
import { inputError } from '../../core/errors.js';
import { type Path, pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';

/** The formats that a definition can be written in. */
export const TARGETS = ['yaml', 'toml', 'json'] as const;

/**
 * Converts a file to another format. Aliases are resolved, comments are lost, and `!raw` becomes `{ raw: … }`.
 *
 * @throws inputError `not-in-toml` if a value is null, which TOML cannot express
 */
export async function convertSource(source: Source, to: (typeof TARGETS)[number]): Promise<string> {
  const value = withRaw(source.value, [], source);
  if (to === 'toml') {
    const nothing = nullIn(value, []);
    if (nothing) throw noNull(source, nothing);
    return (await import('@decimalturn/toml-patch')).stringify(value);
  }
  return to === 'json'
    ? `${JSON.stringify(value, null, 2)}\n`
    : stringify(value, { indent: 2, lineWidth: 0, aliasDuplicateObjects: false });
}

function nullIn(value: unknown, path: Path): Path | undefined {
  if (value === null) return path;
  if (typeof value !== 'object') return undefined;
  for (const [key, one] of Object.entries(value)) {
    const found = nullIn(one, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found) return found;
  }
  return undefined;
}

function noNull({ file, place }: Source, path: Path) {
  const { line } = place(path, 'value');
  return inputError({
    code: 'not-in-toml',
    what: 'write the definition as TOML',
    on: `${file}:${line}`,
    why: `${pathText(path)} is null, which TOML cannot express`,
    hint: 'keep it as YAML or JSON',
  });
}

function withRaw(value: unknown, path: Path, source: Source): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withRaw(item, [...path, index], source));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withRaw(one, [...path, key], source)]));
  return typeof value === 'string' && source.isRaw?.(path) ? { raw: value } : value;
}
