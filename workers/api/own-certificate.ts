import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { CertificateFiles } from '../../api/listen/certificate.js';
import { messageOf } from '../../core/errors.js';
import { replaceFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { makePrivate } from '../../home/private-folder.js';
import { certificatesIn, keysIn, makeAuthority, makeCertificate } from '../../secrets/generate/certificates.js';
import { CA_DAYS, CERTIFICATE_DAYS } from '../../secrets/generate/makers.js';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'] as const;
/** A certificate that ends sooner than that is made again, in milliseconds. */
const EARLY_MS = 30 * 86_400_000;

export interface OwnCertificate extends CertificateFiles {
  /** Authority that clients trust: it stays the same when the certificate is renewed. */
  authority: string;
}

/**
 * Returns the home's own certificate, for loopback and the served names. It is created if it is missing, if it lacks a
 * name, or in its last 30 days.
 *
 * @throws inputError `folder-not-private`
 */
export async function ensureOwnCertificate(home: Home, hostNames: readonly string[]): Promise<OwnCertificate> {
  const folder = join(home.engine, 'api');
  const at = (name: string) => join(folder, name);
  const files = { certificate: at('server.pem'), key: at('server-key.pem'), authority: at('ca.pem') };
  const names = [...LOOPBACK, ...hostNames];
  await makePrivate(folder, 'keep the certificate of the API');
  const kept = await readOptional(at('authority-key.pem'));
  const [certificate, key] = [await readOptional(files.certificate), await readOptional(files.key)];
  if (kept && isGood(certificate, names) && belongTogether(certificate, key)) return files;
  const isLasting = kept !== undefined && endOf(certificatesIn(kept)[0]) - Date.now() > CERTIFICATE_DAYS * 86_400_000;
  const authority = isLasting ? kept : makeAuthority('Provisioning API of this home', CA_DAYS);
  const made = makeCertificate(authority, names, CERTIFICATE_DAYS);
  await replaceFile(at('authority-key.pem'), authority);
  await replaceFile(files.authority, certificatesIn(authority)[0] ?? '');
  await replaceFile(files.key, keysIn(made)[0] ?? '');
  await replaceFile(files.certificate, certificatesIn(made)[0] ?? '');
  return files;
}

function isGood(pem: string | undefined, names: readonly string[]): pem is string {
  if (pem === undefined || endOf(pem) - Date.now() < EARLY_MS) return false;
  const certificate = new X509Certificate(pem);
  return names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined);
}

/** They do not if a process was killed between the two writes. */
function belongTogether(certificate: string, key: string | undefined): boolean {
  try {
    return key !== undefined && new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Returns the end of a certificate; 0 for an invalid one. */
function endOf(pem = ''): number {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return 0;
  }
}

const readOptional = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** How often the certificate is looked at, in milliseconds. It is renewed 30 days before its end. */
const LOOK_MS = 86_400_000;

/**
 * Renews the certificate while the server runs, so that a server that nobody restarts stays reachable. The server
 * reads changed files again.
 *
 * @param log receives a line if it cannot be renewed
 * @returns a function that ends this
 */
export function keepOwnCertificate(
  home: Home,
  hostNames: readonly string[],
  log: (line: string) => void,
  everyMs = LOOK_MS,
): () => void {
  let isBusy = false;
  const timer = setInterval(() => {
    // Two renewals at once would mix their files.
    if (isBusy) return;
    isBusy = true;
    ensureOwnCertificate(home, hostNames)
      .catch((error: unknown) => log(JSON.stringify({ certificate: messageOf(error) })))
      .finally(() => {
        isBusy = false;
      });
  }, everyMs).unref();
  return () => clearInterval(timer);
}
