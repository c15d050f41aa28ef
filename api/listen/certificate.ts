import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { inputError, messageOf } from '../../core/errors.js';

/** Certificate of a server, as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

export interface CertificateFiles {
  /** The certificate, followed by those between it and its authority. */
  certificate: string;
  key: string;
}

/**
 * Reads a certificate and its key, and checks that they belong together.
 *
 * @throws inputError `bad-certificate`
 */
export async function readCertificate({ certificate, key }: CertificateFiles): Promise<Certificate> {
  const read = async (path: string) =>
    readFile(path, 'utf8').catch((error: unknown) => {
      throw badCertificate(path, messageOf(error));
    });
  const pair = { cert: await read(certificate), key: await read(key) };
  try {
    createSecureContext(pair);
    const [first = ''] = pair.cert.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/) ?? [];
    if (Date.parse(new X509Certificate(first).validTo) < Date.now()) throw new Error('it has expired');
  } catch (error) {
    throw badCertificate(certificate, messageOf(error));
  }
  return pair;
}

const badCertificate = (on: string, why: string) =>
  inputError({
    code: 'bad-certificate',
    what: 'use the certificate of the server',
    on,
    why,
    hint: 'the file has the certificate and those between it and its authority as PEM; --key names the file of its key',
  });

/** Returns a text that changes with the files: editors and acme replace the files with new ones. */
async function markOf({ certificate, key }: CertificateFiles): Promise<string> {
  const marks = await Promise.all(
    [certificate, key].map(async (path) => {
      const { mtimeMs, ino, size } = await stat(path);
      return `${mtimeMs} ${ino} ${size}`;
    }),
  );
  return marks.join(' ');
}

/** Interval of the checks, in milliseconds. */
const EVERY_MS = 5_000;

interface Watching {
  /** Gets the pair after each change. */
  onChange(pair: Certificate): void;
  /** Receives the error in changed files: the former certificate stays. */
  onError(error: unknown): void;
  everyMs?: number;
}

/**
 * Checks the files repeatedly for changes. If a pair does not match, such as after only one file was written, the next
 * check reads it again.
 *
 * @returns a function that ends the checks
 */
export function watchCertificate(files: CertificateFiles, { onChange, onError, everyMs = EVERY_MS }: Watching): () => void {
  let known: string | undefined;
  let told: string | undefined;
  let isBusy = false;
  const look = async () => {
    const mark = await markOf(files);
    known ??= mark;
    if (mark === known) return;
    const pair = await readCertificate(files);
    known = mark;
    onChange(pair);
  };
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    look()
      .then(() => {
        told = undefined;
      })
      .catch((error: unknown) => {
        // A repeated error is logged once.
        if (told !== messageOf(error)) onError(error);
        told = messageOf(error);
      })
      .finally(() => {
        isBusy = false;
      });
  }, everyMs).unref();
  // The present files are the ones that the server has read.
  void markOf(files).then(
    (mark) => {
      known ??= mark;
    },
    () => {},
  );
  return () => clearInterval(timer);
}
