import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Certificate and key of a TLS service, as PEM. */
export interface CertificatePair {
  /** The certificate, and those of its authorities behind it. */
  certificate: string;
  key: string;
}

/** Fault of the certificate or the key. It has no part of the key. */
export interface PairFault {
  part: keyof CertificatePair;
  why: string;
  hint?: string;
}

const CERTIFICATES = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?-----END (?:[A-Z]+ )*PRIVATE KEY-----/;
/** Clocks differ. */
const EARLIER_MS = 300_000;

/**
 * Finds the reason why no service can serve with a certificate and its key. Undefined if one can.
 *
 * The certificates after the first may have any order, be expired, repeat, and belong to other chains, such as a
 * former and a new root: clients choose a chain themselves. One of them must have signed the first certificate, unless
 * it is self-signed. Otherwise they belong to another certificate.
 *
 * @param now milliseconds since 1970
 */
export function faultOfPair({ certificate, key }: CertificatePair, now = Date.now()): PairFault | undefined {
  const read = certificatesOf(certificate);
  if ('part' in read) return read;
  const [own, ...others] = read.certificates as [X509Certificate, ...X509Certificate[]];
  const known = keyOf(key);
  if ('part' in known) return known;
  if (!own.checkPrivateKey(known.key)) {
    const at = others.findIndex((one) => one.checkPrivateKey(known.key));
    if (at < 0) return { part: 'key', why: 'the key does not belong to the certificate' };
    return {
      part: 'certificate',
      why: `the key belongs to certificate ${at + 2} of the text`,
      hint: 'put the matching certificate first',
    };
  }
  const behind = others.filter(({ fingerprint256 }) => fingerprint256 !== own.fingerprint256);
  if (behind.length > 0 && !isSignedBy(own, own) && !behind.some((one) => isSignedBy(own, one)))
    return {
      part: 'certificate',
      why: 'none of the following certificates signed the first certificate',
      hint: 'put the certificates of its authorities after the certificate',
    };
  if (Date.parse(own.validTo) < now) return { part: 'certificate', why: `the certificate ended on ${dayOf(own.validTo)}` };
  if (Date.parse(own.validFrom) > now + EARLIER_MS)
    return { part: 'certificate', why: `the certificate begins on ${dayOf(own.validFrom)}` };
  return undefined;
}

const isSignedBy = (one: X509Certificate, by: X509Certificate): boolean => one.checkIssued(by) && one.verify(by.publicKey);

const dayOf = (date: string): string => new Date(date).toISOString().slice(0, 10);

function certificatesOf(text: string): { certificates: X509Certificate[] } | PairFault {
  const blocks = text.match(CERTIFICATES) ?? [];
  if (blocks.length === 0) return { part: 'certificate', why: 'it has no certificate in PEM' };
  const certificates: X509Certificate[] = [];
  for (const block of blocks) {
    try {
      certificates.push(new X509Certificate(block));
    } catch {
      return { part: 'certificate', why: `certificate ${certificates.length + 1} of the text cannot be read` };
    }
  }
  return { certificates };
}

function keyOf(text: string): { key: KeyObject } | PairFault {
  const [block = ''] = KEY.exec(text) ?? [];
  if (block === '') return { part: 'key', why: 'it has no private key in PEM' };
  if (/^-----BEGIN ENCRYPTED|\bENCRYPTED$/m.test(block))
    return {
      part: 'key',
      why: 'the key has a passphrase, and services cannot enter one',
      hint: 'remove the passphrase: openssl pkey -in KEY -out PLAIN',
    };
  try {
    return { key: createPrivateKey(block) };
  } catch {
    return { part: 'key', why: 'the private key cannot be read' };
  }
}
