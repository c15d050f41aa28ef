import { inputError } from '../../../core/errors.js';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a time: an age (`30m`, `7d`), or a date with an optional time. The time is UTC unless it has a zone.
 *
 * @param option the option's name for the error
 * @returns ISO 8601
 * @throws inputError `bad-arguments`
 */
export function parseTime(written: string, option: string, now = Date.now()): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(written) ?? [];
  if (count && unit) return new Date(now - Number(count) * (UNITS[unit] as number)).toISOString();
  const [, day, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(written) ?? [];
  const at = new Date(`${day}T${time}${zone}`);
  // JavaScript moves a day that the month lacks to the next month.
  const isReal = day !== undefined && !Number.isNaN(at.getTime()) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  if (isReal) return at.toISOString();
  throw inputError({
    code: 'bad-arguments',
    what: `read ${option}`,
    on: `"${written}"`,
    why: 'it is neither an age nor a time',
    hint: 'write an age (30m, 12h, 7d), a day (2026-11-29) or a time (2026-11-29T14:30)',
  });
}
