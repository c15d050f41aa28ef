import * as z from 'zod';

/** A time as systemd's calendars have it: `daily`, `Mon *-*-* 03:30`. */
export function calendar() {
  return z
    .string()
    .regex(/^[A-Za-z0-9*:,./ ~-]{1,100}$/, { error: 'write a time in the format of systemd: "daily", "Mon *-*-* 03:30"' });
}

/** Which backups are kept: the last one of so many days, weeks, months and years. At least one. */
export function createKeptBackupsSchema() {
  const kept = (preset: number) => z.int().min(0).max(10_000).default(preset);
  return z
    .strictObject({
      daily: kept(7).describe('Number of daily backups to keep'),
      weekly: kept(4).describe('Number of weekly backups to keep'),
      monthly: kept(6).describe('Number of monthly backups to keep'),
      yearly: kept(0).describe('Number of yearly backups to keep'),
    })
    .refine((keep) => Object.values(keep).some((count) => count > 0), {
      error: 'set at least one of the numbers: otherwise no backup is kept',
    })
    .prefault({});
}
