import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { bits, boolean, explicit, implicit, integer, octets, oid, sequence, set, time, utf8 } from './der.js';

const DAY_MS = 86_400_000;
/** Clocks differ, so a certificate is valid from shortly before its creation. */
const EARLIER_MS = 300_000;
const SIGNED_BY = sequence(oid('1.2.840.10045.4.3.2'));

/** Content of a certificate. */
interface Content {
  subject: string;
  issuer: string;
  publicKey: Buffer;
  until: Date;
  extensions: Buffer[];
}

/**
 * Creates an authority: a private key and its certificate, as PEM, in this order. ECDSA on P-256.
 *
 * @param name its subject. Authorities that are trusted side by side must differ: clients find the issuer by its
 *   subject
 * @param days validity
 */
export function makeAuthority(name: string, days: number): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const certificate = signed(privateKey, {
    ...{ subject: name, issuer: name, publicKey: spki, until: endOf(days) },
    extensions: [
      extension('2.5.29.19', sequence(boolean(true), integer(Buffer.of(0))), true),
      extension('2.5.29.15', bits(Buffer.of(0b0000_0110), 1), true),
      extension('2.5.29.14', octets(keyId(spki))),
    ],
  });
  return `${pemOf(privateKey)}${certificate}`;
}

/**
 * Creates a private key and a certificate of an authority, for servers and clients. The certificates of all trusted
 * authorities follow. It ends no later than its authority.
 *
 * @param authority value from `makeAuthority`, or from a step of its rotation
 * @param names DNS names and IP addresses; the first is the subject
 */
export function makeCertificate(authority: string, names: readonly string[], days: number): string {
  const issuer = new X509Certificate(certificateIn(authority));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const certificate = signed(createPrivateKey(authority), {
    subject: names[0] ?? '',
    issuer: issuer.subject.replace(/^CN=/, ''),
    publicKey: spki,
    until: new Date(Math.min(endOf(days).getTime(), Date.parse(issuer.validTo))),
    extensions: [
      extension('2.5.29.19', sequence(), true),
      extension('2.5.29.15', bits(Buffer.of(0b1000_0000), 7), true),
      extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
      extension('2.5.29.17', sequence(...names.map(generalName))),
      extension('2.5.29.14', octets(keyId(spki))),
      extension('2.5.29.35', sequence(implicit(0, keyId(issuer.publicKey.export({ format: 'der', type: 'spki' }))))),
    ],
  });
  return `${pemOf(privateKey)}${certificate}${listTrusted(authority).join('')}`;
}

/** Returns the certificates in a text, each as PEM. The first of a chain is its own. */
export const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];

/** Returns the private keys in a text, each as PEM. */
export const keysIn = (text: string): string[] => text.match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/g) ?? [];

/**
 * Returns the certificates of the authorities that clients trust, the older one first. The list is the same in `trust`
 * and `issue`, so that the files of clients do not change between these steps.
 *
 * @param authority stored value, in any step of a rotation
 */
export function listTrusted(authority: string): string[] {
  const certificates = certificatesIn(authority);
  return keysIn(authority).length > 1 ? certificates : certificates.reverse();
}

const certificateIn = (text: string): string => certificatesIn(text)[0] ?? '';
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const endOf = (days: number): Date => new Date(Date.now() + days * DAY_MS);

function signed(key: KeyObject, { subject, issuer, publicKey, until, extensions }: Content): string {
  const content = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
    SIGNED_BY,
    nameOf(issuer),
    sequence(time(new Date(Date.now() - EARLIER_MS)), time(until)),
    nameOf(subject),
    publicKey,
    explicit(3, sequence(...extensions)),
  );
  const der = sequence(content, SIGNED_BY, bits(sign('sha256', content, key)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Encodes a common name, which has at most 64 characters. The alternative names are complete. */
const nameOf = (name: string): Buffer => sequence(set(sequence(oid('2.5.4.3'), utf8(name.slice(0, 64)))));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));

const keyId = (spki: Buffer): Buffer => createHash('sha256').update(spki).digest().subarray(0, 20);

function generalName(name: string): Buffer {
  return isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // In the form of a URL, which has no dotted decimal part.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = tail === undefined ? [] : Array(8 - groups(head).length - groups(tail).length).fill('0');
  return Buffer.from([...groups(head), ...zeros, ...groups(tail ?? '')].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
