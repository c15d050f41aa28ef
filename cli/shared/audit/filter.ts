import type { AuditFilter } from '../../../app/schemas/audit.js';
import type { FlagsOf, OptionSpec } from '../../command.js';
import { parseTime } from '../times/parse-time.js';

const OUTCOMES = ['asked', 'done', 'failed', 'refused', 'read', 'unknown'] as const;
const CLASSES = ['reads', 'changes', 'access', 'secrets', 'sign-ins'] as const;

/** Options that select records, except by time. */
export const FILTER = [
  { flags: '--actor <name>', about: 'only calls of this caller, such as user@host or service-account:ci' },
  { flags: '--method <name>', about: 'only calls of this method, such as operations.submit' },
  { flags: '--resource <text>', about: 'only resources that contain this text' },
  {
    flags: '--outcome <outcome>',
    about: 'only records with this outcome; unknown: asked, without a record of the end',
    choices: OUTCOMES,
  },
  { flags: '--class <class>', about: 'only records of this class', choices: CLASSES },
] as const satisfies readonly OptionSpec[];

/** Options for a time range. */
export const TIMES = [
  { flags: '--since <time>', about: 'from this time on: an age (30m, 7d) or a time (2026-11-29T14:30)' },
  { flags: '--until <time>', about: 'up to this time' },
] as const satisfies readonly OptionSpec[];

type Flags = Partial<FlagsOf<[...typeof FILTER, ...typeof TIMES]>>;

/**
 * Returns the filter from options.
 *
 * @throws inputError `bad-arguments` for an invalid time
 */
export function readFilter({ actor, method, resource, outcome, class: of, since, until }: Flags): AuditFilter {
  return {
    ...(actor !== undefined && { actor }),
    ...(method !== undefined && { method }),
    ...(resource !== undefined && { resource }),
    ...(outcome !== undefined && { outcome }),
    ...(of !== undefined && { class: of }),
    ...(since !== undefined && { since: parseTime(since, '--since') }),
    ...(until !== undefined && { until: parseTime(until, '--until') }),
  };
}
