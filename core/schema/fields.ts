import * as z from 'zod';
import { requireOneForm } from '../definition/one-form.js';
import type { SecretRef } from '../taskserv/secret.js';
import { GENERATED_KINDS } from './recipe.js';

const SIZE_UNITS: Record<string, number> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A number of units: `1.5 GiB` or `15 d`, in the smallest unit, rounded. */
function inSmallestUnit(text: string, units: Record<string, number>): number {
  const [, amount, unit] = /^([0-9.]+) ?([A-Za-z]+)$/.exec(text) ?? [];
  return Math.round(Number(amount) * (units[unit ?? ''] ?? Number.NaN));
}

/** JSON Schema property with the type's name for people, if it is more than `string`. */
export const KIND = 'kind';

/** A TCP or UDP port. */
export function port(preset: number) {
  return anyPort().default(preset);
}

/** A TCP or UDP port without a default. */
export function anyPort() {
  return z
    .int({ error: 'a port is a whole number from 1 to 65535' })
    .min(1)
    .max(65_535)
    .meta({ [KIND]: 'port' });
}

/**
 * An amount of memory or disk, in bytes once parsed.
 *
 * @param preset default, written as a person would: `64 MiB`
 * @example size('64 MiB').parse('1 GiB') === 1073741824
 */
export function size(preset: string) {
  const error = 'write a size as "64 MiB" or "1.5 GiB" (B, KiB, MiB, GiB, TiB), or as a number of bytes';
  const text = z.string().regex(/^[0-9]+(\.[0-9]+)? ?(B|KiB|MiB|GiB|TiB)$/, { error });
  return z
    .union([z.int({ error }).nonnegative({ error }), text], { error })
    .transform((value) => (typeof value === 'number' ? value : inSmallestUnit(value, SIZE_UNITS)))
    .prefault(preset)
    .meta({ [KIND]: 'size' });
}

/**
 * A span of time, in whole seconds once parsed.
 *
 * @param preset default, written as a person would: `15 s`
 */
export function duration(preset: string) {
  const error = 'write a duration as "30 s", "5 m", "12 h", "15 d" or "2 w", or as a number of seconds';
  const text = z.string().regex(/^[0-9]+(\.[0-9]+)? ?[smhdw]$/, { error });
  return z
    .union([z.int({ error }).positive({ error }), text], { error })
    .transform((value) => (typeof value === 'number' ? value : inSmallestUnit(value, SECONDS)))
    .prefault(preset)
    .meta({ [KIND]: 'duration' });
}

/** An IPv4 or IPv6 address, with or without a prefix length: `10.0.0.0/8`, `fd00::/8`, `192.0.2.7`. */
export function network() {
  return requireOneForm(
    z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
      error: 'write a network as "10.0.0.0/8", "fd00::/8" or as one address',
    }),
  ).meta({ [KIND]: 'network' });
}

/** Whether a network or address is of IPv6. */
export const isIpv6 = (text: string): boolean => text.includes(':');

/**
 * A secret. Only a reference is accepted. A file has `{ secret: NAME }`, `{ generate: … }` or `{ sops: FILE, key: PATH
 * }`. The loader converts it to a reference before a taskserv's schema validates it. JSON Schema shows the forms of
 * the file.
 */
export function secret(): z.ZodType<SecretRef, SecretRef> {
  const error = 'write a reference instead of the secret: { secret: NAME }, { generate: password } or { sops: FILE, key: PATH }';
  return z.strictObject({ $secret: z.string({ error }) }, { error }).meta({
    [KIND]: 'secret',
    properties: {
      secret: { type: 'string', description: 'Name of an existing secret' },
      generate: { enum: GENERATED_KINDS, description: 'Value that is created once and kept' },
      length: { type: 'integer', description: 'For a password or a token: number of characters' },
      name: { type: 'string', description: 'Name of the generated value, shared within the infra' },
      part: { type: 'string', description: 'For a pair: its part' },
      ca: { type: 'string', description: 'For a certificate: name of its authority' },
      names: { type: 'array', items: { type: 'string' }, description: 'For a certificate: DNS names and addresses' },
      days: { type: 'integer', description: 'For a certificate or an authority: validity' },
      env: { type: 'string', description: 'Environment variable of the submitting machine, which must allow it' },
      file: { type: 'string', description: 'File below the workspace folder' },
      vault: { type: 'string', description: 'Field in Vault or OpenBao: MOUNT/PATH#FIELD' },
      'aws-secret': { type: 'string', description: 'Secret of AWS Secrets Manager: NAME, or NAME#FIELD' },
      sops: { type: 'string', description: 'SOPS file with the value, below the workspace folder' },
      key: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        description: 'Key in that file: names separated by dots, or a list of names',
      },
    },
    required: [],
    minProperties: 1,
    dependentRequired: { key: ['sops'] },
  });
}

/** JSON Schema property of a field that names another part of the definition. */
export const REFERS_TO = 'refersTo';

/**
 * An endpoint of another taskserv, as `{ taskserv: nginx, offering: http }`. The loader checks that the taskserv is on
 * a server of the definition and has an endpoint of that name.
 *
 * @param preset both, if the file names none
 */
export function endpoint(preset: { taskserv: string; offering: string }) {
  const word = z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'a name has up to 63 lower-case letters, digits and dashes' });
  const taskserv = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}(?:@[a-z][a-z0-9-]{0,19})?$/, {
    error: 'a name has up to 63 lower-case letters, digits and dashes; an instance follows after an @, as in app@shop',
  });
  return z
    .strictObject({
      offering: word.default(preset.offering).describe('Name of the endpoint'),
      taskserv: taskserv.default(preset.taskserv).describe('Taskserv of the endpoint; with an instance: `app@shop`'),
    })
    .meta({ [REFERS_TO]: 'endpoint' })
    .prefault({});
}
