import { inputError } from '../../../core/errors.js';

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24 };
const MOST_DAYS = 365;

/**
 * Parses a lifetime: `12h` or `30d`, at most 365 days.
 *
 * @param option the option's name for the error
 * @returns hours
 * @throws inputError `bad-arguments`
 */
export function parseLifetime(written: string, option: string): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(written) ?? [];
  const hours = Number(count) * (HOURS[unit ?? ''] ?? 0);
  if (hours >= 1 && hours <= MOST_DAYS * 24) return hours;
  throw inputError({
    code: 'bad-arguments',
    what: `read ${option}`,
    on: `"${written}"`,
    why: `it is not a time from 1 hour to ${MOST_DAYS} days`,
    hint: 'write hours (12h) or days (30d)',
  });
}
