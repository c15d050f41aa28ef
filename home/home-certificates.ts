import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputError, messageOf } from '../core/errors.js';

/** Certificates of a connection to the home's own engine: the client's, and the trusted authority; PEM. */
export interface HomeCertificates {
  authority: Buffer;
  certificate: Buffer;
  key: Buffer;
}

/**
 * Returns the client's certificate of a home, from the folder in its record.
 *
 * @throws inputError `engine-certificates` if the files cannot be read
 */
export function readCertificates(folder: string): HomeCertificates {
  try {
    const both = readFileSync(join(folder, 'client.pem'), 'utf8');
    return {
      authority: readFileSync(join(folder, 'ca.pem')),
      certificate: Buffer.from(blockOf(both, 'CERTIFICATE')),
      key: Buffer.from(blockOf(both, 'PRIVATE KEY')),
    };
  } catch (error) {
    const hint = 'only the user who ran `provisioning up` can read them; if they are missing, run it again';
    const why = messageOf(error);
    throw inputError(
      { code: 'engine-certificates', what: 'read the certificates of the engine', on: folder, why, hint },
      { cause: error },
    );
  }
}

/**
 * Returns the earliest expiry among a folder's certificates, in milliseconds since 1970; 0 if one is missing or
 * invalid.
 */
export function certificatesEnd(folder: string): number {
  try {
    const ends = ['ca', 'server', 'client', 'web-ui'].map((name) => {
      const { validTo } = new X509Certificate(readFileSync(join(folder, `${name}.pem`)));
      return Date.parse(validTo);
    });
    return Math.min(...ends);
  } catch {
    return 0;
  }
}

/** Returns a fingerprint for a set of certificates. */
export function readFingerprint(folder: string): string {
  const { authority, certificate } = readCertificates(folder);
  return createHash('sha256').update(authority).update(certificate).digest('hex').slice(0, 16);
}

function blockOf(text: string, kind: string): string {
  const block = new RegExp(`-----BEGIN ${kind}-----[^-]+-----END ${kind}-----\n`).exec(text)?.[0];
  if (!block) throw new Error(`there is no ${kind.toLowerCase()} in client.pem`);
  return block;
}
