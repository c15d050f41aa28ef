import { relative } from 'node:path';
import type { SettledKey, Statement } from '../../../settings/layers/resolve.js';
import type { Value } from '../../../settings/layers/values.js';
import type { Key } from '../../../settings/registry/registry.js';
import { textOfValue } from '../../../settings/registry/value-types.js';
import type { Session } from '../../program/session.js';

/** Placeholder for a value that is shown only on request. */
const HIDDEN = '(hidden)';

/** Formats a value for users. Booleans are written as in files. */
export function valueText({ sensitive }: Pick<Key, 'sensitive'>, value: Value | undefined, reveal = false): string {
  if (value === undefined || value === null) return '-';
  if (sensitive && !reveal) return HIDDEN;
  return typeof value === 'boolean' ? String(value) : textOfValue(value);
}

/** Renders the place of a statement: `user config.yaml:3`, `variables TEMPORAL_PROFILE`. */
export function placeText(session: Session, { layer, file, line, variable }: Statement): string {
  const where = variable ?? (file === undefined ? undefined : `${pathText(session, file)}${line ? `:${line}` : ''}`);
  return where === undefined ? layer : `${layer} ${where}`;
}

/** Returns the shortest form of a path relative to the current folder. */
export function pathText({ cwd }: Session, path: string): string {
  const short = relative(cwd, path);
  return short !== '' && !short.startsWith('..') ? short : path;
}

/** Returns a key for `--json`. */
export function createSettledDocument({ key, value, winner }: SettledKey) {
  const { layer, file, line, variable } = winner ?? {};
  return { key: key.name, value: shownValue(key, value), ...defined({ layer, file, line, variable }) };
}

/** Returns a statement for `--json`. A statement without a value removes the values of lower layers. */
export const statementDocument = (key: Key, { value, ...where }: Statement, wins: boolean) => ({
  ...where,
  value: shownValue(key, value),
  wins,
});

const shownValue = ({ sensitive }: Key, value: Value | undefined): Value =>
  value === undefined ? null : sensitive ? HIDDEN : value;

const defined = (parts: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
