import type { Mirror } from '../../core/taskserv/mirrors.js';
import type { Context } from '../context.js';
import { readContextSetting } from '../settings/config-place.js';

const HOUR_MS = 60 * 60_000;

/** Settings for queries of vendors' versions. */
export interface UpstreamSettings {
  /** Validity of an answer, and its extension if a source cannot be reached, in milliseconds. */
  goodMs: number;
  graceMs: number;
  mirrors: Mirror[];
}

/**
 * Returns the settings.
 *
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function upstreamSettings(context: Context): Promise<UpstreamSettings> {
  const [hours, days, mirrors] = await Promise.all([
    readContextSetting(context, 'versions.keep'),
    readContextSetting(context, 'versions.grace'),
    readContextSetting<string>(context, 'versions.mirrors'),
  ]);
  return { goodMs: (hours ?? 0) * HOUR_MS, graceMs: (days ?? 0) * 24 * HOUR_MS, mirrors: mirrorsIn(mirrors ?? '') };
}

/** Parses the setting of mirrors: `FROM=TO`, with spaces between. */
export function mirrorsIn(text: string): Mirror[] {
  return text.split(/ +/).flatMap((one) => {
    const [from, to] = one.split('=');
    return from && to ? [{ from, to }] : [];
  });
}
