import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { inputError } from '../core/errors.js';
import { type Lock, type Opener, openAgeFile, readAgeFile, SEALED_FILE, sealAgeText } from '../encryption/age-text.js';
import { isSetUp } from '../encryption/key-entries.js';
import { BYTES } from '../encryption/kms/key-wrapper.js';
import { isMemberName } from './member-name.js';

/** Maximum size in bytes. An invitation with two certificates and a hundred keys has about forty thousand. */
export const MOST_BYTES = 256 * 1024;

const HOST = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$|^[0-9A-Fa-f:.]{2,45}$/;
const ADDRESS = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\]):[1-9]\d{0,4}$/;
const PEM = /^(?:-----BEGIN [A-Z0-9 ]+-----\n[A-Za-z0-9+/=\n]+\n-----END [A-Z0-9 ]+-----\n)+$/;

const pem = z.string().max(32_768).regex(PEM);
const certificates = pem.refine((text) => succeeds(() => new X509Certificate(text)));
const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x20-\x7e]+$/);
const keyId = z.string().regex(/^[A-Za-z0-9._-]{1,40}$/);
const since = z.string().max(40);

const tls = z
  .strictObject({ ca: certificates, certificate: certificates, key: pem })
  .refine(({ certificate, key }) => succeeds(() => new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))));

const keys = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('copy'),
    keys: z
      .array(z.strictObject({ id: keyId, since, key: z.base64().refine((text) => Buffer.from(text, 'base64').length === BYTES) }))
      .min(1)
      .max(500),
  }),
  z.strictObject({
    by: z.literal('service'),
    kms: z.enum(['aws-kms', 'vault']),
    kmsKey: line(400),
    kmsAddress: z
      .url({ protocol: /^https?$/ })
      .max(400)
      .optional(),
    kmsCa: certificates.optional(),
    keys: z
      .array(z.strictObject({ id: keyId, since, wrapped: z.string().min(1).max(8_192) }))
      .min(1)
      .max(500),
  }),
]);

const form = z.strictObject({
  provisioning: z.literal('invitation 1'),
  member: z.string().refine(isMemberName),
  temporal: z.strictObject({
    address: z.string().regex(ADDRESS),
    namespace: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/),
    serverName: z.string().regex(HOST).optional(),
    tls: tls.optional(),
  }),
  store: z.strictObject({
    host: z.string().regex(HOST).refine(isInUrl),
    port: z.int().min(1).max(65_535),
    sslmode: z.enum(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']).optional(),
    ca: certificates.optional(),
    password: line(200),
  }),
  encryption: z.strictObject({ setUp: z.string().refine(isSetUp), keys }),
});

/**
 * Content of an invitation for a new team member: addresses of the services, and their credentials. All of it is
 * secret.
 */
export type Invitation = Omit<z.infer<typeof form>, 'provisioning'>;

/**
 * Encrypts an invitation: an age file in armor.
 *
 * @param on destination, for errors
 * @throws inputError `sealed-file` for an invalid age recipient; `member-invitation` for a value that no home accepts
 */
export async function sealInvitation(invitation: Invitation, lock: Lock, on: string): Promise<string> {
  const checked = form.safeParse({ provisioning: 'invitation 1', ...invitation });
  if (!checked.success)
    throw badInvitation('write the invitation', on, `its ${fieldsOf(checked.error)} has a form that is not supported`);
  return sealAgeText(JSON.stringify(checked.data), lock, SEALED_FILE, on);
}

/** Invitation that was read and not yet opened. */
export type SealedInvitation = Awaited<ReturnType<typeof readAgeFile>>;
export { readAgeFile as readInvitation };

/**
 * Opens an invitation. Its content is untrusted, so only this form is accepted, which contains no paths of files.
 *
 * @throws inputError `sealed-file` if it cannot be opened, `member-invitation` if its content is not an invitation
 */
export async function openInvitation(sealed: SealedInvitation, opener: Opener, on: string): Promise<Invitation> {
  const text = await openAgeFile(sealed, opener, on);
  const read = form.safeParse(jsonOrNothing(text));
  // Values are secret: the error only names the fields.
  if (!read.success) throw badInvitation('accept the invitation', on, `its content is not an invitation (${fieldsOf(read.error)})`);
  const { provisioning: _, ...invitation } = read.data;
  return invitation;
}

/** Returns a fingerprint with which two people verify that they have the same file: `3f2a 91bc 07de 5a10`. */
export const fingerprintOfText = (text: string): string =>
  (createHash('sha256').update(text).digest('hex').slice(0, 16).match(/.{4}/g) ?? []).join(' ');

function fieldsOf({ issues }: z.ZodError): string {
  const names = issues.map(({ path }) => path.filter((part) => typeof part === 'string').join('.') || 'form');
  return [...new Set(names)].slice(0, 5).join(', ');
}

function isInUrl(host: string): boolean {
  return URL.canParse(`postgres://x@${host.includes(':') ? `[${host}]` : host}:1/x`);
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function succeeds(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}

const badInvitation = (what: string, on: string, why: string) => inputError({ code: 'member-invitation', what, on, why });
