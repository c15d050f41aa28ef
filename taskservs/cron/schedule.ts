import * as z from 'zod';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Minute, hour, day of the month, month, day of the week: from, to, and names from the first number on. */
const FIELDS: readonly [from: number, to: number, names?: readonly string[]][] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12, MONTHS],
  [0, 7, DAYS],
];

const NAMED = /^@(reboot|hourly|daily|midnight|weekly|monthly|yearly|annually)$/;

function isField(text: string, [from, to, names = []]: (typeof FIELDS)[number]): boolean {
  const numberOf = (word: string) => {
    const named = names.indexOf(word.toLowerCase());
    if (named >= 0) return from + named;
    return /^[0-9]{1,2}$/.test(word) ? Number(word) : Number.NaN;
  };
  return text.split(',').every((part) => {
    const [, range = '', , step = '1'] = /^([^/]+)(\/([0-9]{1,2}))?$/.exec(part) ?? [];
    if (Number(step) < 1) return false;
    if (range === '*') return true;
    const [first = '', last = first, ...more] = range.split('-');
    const [low, high] = [numberOf(first), numberOf(last)];
    return more.length === 0 && low >= from && high <= to && low <= high;
  });
}

/** Whether cron takes it. One entry that it does not take makes it leave the whole file out. */
export function isSchedule(text: string): boolean {
  if (NAMED.test(text)) return true;
  const fields = text.split(' ');
  return fields.length === FIELDS.length && FIELDS.every((range, index) => isField(fields[index] as string, range));
}

/** When a job runs, as cron has it. */
export const schedule = () =>
  z.string().refine(isSchedule, {
    error: 'a schedule is "minute hour day month weekday" with one space between, such as "30 3 * * mon", or "@daily"',
  });
