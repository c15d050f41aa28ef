import { relative } from 'node:path';
import type { SettledKey, Statement } from '../../../settings/layers/resolve.js';
import type { Value } from '../../../settings/layers/values.js';
import type { Key } from '../../../settings/registry/registry.js';
import { textOfValue } from '../../../settings/registry/value-types.js';
import type { Session } from '../../program/session.js';

/** Instead of a value that is shown nowhere unless asked for. */
const HIDDEN = '(hidden)';

/** A value as a person sees it: switches as files say them. */
export function valueText({ sensitive }: Pick<Key, 'sensitive'>, value: Value | undefined, reveal = false): string {
  if (value === undefined || value === null) return '-';
  if (sensitive && !reveal) return HIDDEN;
  return typeof value === 'boolean' ? String(value) : textOfValue(value);
}

/** Where something is said: `user config.yaml:3`, `variables TEMPORAL_PROFILE`. */
export function placeText(session: Session, { layer, file, line, variable }: Statement): string {
  const where = variable ?? (file === undefined ? undefined : `${pathText(session, file)}${line ? `:${line}` : ''}`);
  return where === undefined ? layer : `${layer} ${where}`;
}

/** A path as it is shortest from where the command was called. */
export function pathText({ cwd }: Session, path: string): string {
  const short = relative(cwd, path);
  return short !== '' && !short.startsWith('..') ? short : path;
}

/** A key as `--json` shows it. */
export function createSettledDocument({ key, value, winner }: SettledKey) {
  const { layer, file, line, variable } = winner ?? {};
  return { key: key.name, value: shownValue(key, value), ...defined({ layer, file, line, variable }) };
}

/** A statement as `--json` shows it; one without a value takes away what lower layers say. */
export const statementDocument = (key: Key, { value, ...where }: Statement, wins: boolean) => ({
  ...where,
  value: shownValue(key, value),
  wins,
});

const shownValue = ({ sensitive }: Key, value: Value | undefined): Value =>
  value === undefined ? null : sensitive ? HIDDEN : value;

const defined = (parts: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
