import * as z from 'zod';
import { HOST_RULE, isHost, isHostName, parseHostPort, parseJumpHost, USER_NAME, USER_NAME_RULE } from '../definition/addresses.js';
import { requireOneForm } from '../definition/one-form.js';
import { findHiddenCharacter } from '../text.js';
import { KIND } from './fields.js';

/**
 * A text of one line that people read: no control, zero-width or direction characters.
 *
 * @param most characters, at most
 */
export function line(most = 200) {
  return z
    .string()
    .max(most, `at most ${most} characters`)
    .refine((text) => findHiddenCharacter(text) === undefined && !/[\n\t]/.test(text), 'write one line without control characters');
}

/**
 * A name that others chose: a plan, an image, a zone, a version, an id at a provider. It cannot be an option of a
 * program.
 */
export function word(most = 200) {
  return z
    .string()
    .min(1)
    .max(most, `at most ${most} characters`)
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._:@/+-]*$/, 'use letters, digits and ._:@/+-, a letter or digit first');
}

/** A login name on a host. */
export function userName() {
  return z.string().regex(USER_NAME, `a user name is ${USER_NAME_RULE}`);
}

/**
 * A host name or a domain by RFC 1123: labels of letters, digits and dashes, at most 63 characters each
 * and 253 in all. No address: `host` takes both.
 */
export function hostName(error = 'a host name is letters, digits and dashes in parts with dots between, such as db.example.org') {
  return z.string().refine(isHostName, { error });
}

/** A complete domain name, as it stands in the DNS: `www.example.org`. No address, and nothing with a `*`. */
export function domainName(error = 'write a domain name in lower-case letters such as www.example.org') {
  return z.string().refine((text) => isHostName(text) && text.includes('.') && text === text.toLowerCase(), { error });
}

/** A host: a name by RFC 1123, or an IPv4 or IPv6 address. */
export function host() {
  return z.string().refine(isHost, `write ${HOST_RULE}`);
}

/** A host with a port: `db.example.org:5432`, `[2001:db8::7]:5432`. */
export function hostPort(error: string) {
  return z
    .string()
    .refine((text) => parseHostPort(text) !== undefined, error)
    .meta({ [KIND]: 'host:port' });
}

/** A host to go through by SSH. */
export function jumpHost() {
  return z.string().refine((text) => parseJumpHost(text) !== undefined, 'write user@address:port; an IPv6 address in brackets');
}

/** A range of IPv4 or IPv6 addresses with its prefix length, by its first address and in one form. */
export function addressRange(error: string) {
  const isRange = (text: string) => [z.cidrv4(), z.cidrv6()].some((range) => range.safeParse(text).success);
  return requireOneForm(z.string().refine(isRange, { error, abort: true }));
}

/** A file on the machine of the worker: no option of a program, one line. */
export function filePath() {
  return line(4096)
    .min(1)
    .refine((text) => !text.startsWith('-'), 'a path does not begin with a dash');
}

/** An absolute path on a Linux host. It has only plain characters, without `.` and `..`. */
export function absolutePath(error = 'write an absolute path with only letters, digits, ".", "_" and "-", without ".."') {
  return z
    .string()
    .max(255, 'at most 255 characters')
    .regex(/^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/, { error })
    .meta({ [KIND]: 'absolute path' });
}
