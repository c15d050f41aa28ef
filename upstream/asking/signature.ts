import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Signed message and the keys that may have signed it. */
export interface SignedMessage {
  /** Message with its signature inside, or the message of a detached signature. */
  message: Buffer;
  signature?: Buffer;
  /** Keys: armored, or as `gpg --export` writes them. */
  keyring: Buffer;
}

export type Verdict =
  /** `content` is exactly the signed text, without anything around it. */
  | { verdict: 'good'; content: Buffer; fingerprint: string }
  | { verdict: 'bad'; why: string }
  /** This machine cannot verify the signature. */
  | { verdict: 'unknown'; why: string };

/** Time limit of gpgv, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Verifies an OpenPGP signature with `gpgv` and only these keys. The keys of the current user do not count. */
export async function verifySignature({ message, signature, keyring }: SignedMessage): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-gpgv-'));
  try {
    const at = (name: string) => join(folder, name);
    await writeFile(at('keys.gpg'), binaryKeys(keyring));
    await writeFile(at('message'), message);
    if (signature) await writeFile(at('signature'), signature);
    const files = signature ? [at('signature'), at('message')] : ['--output', at('content'), at('message')];
    const said = await gpgv(folder, ['--homedir', folder, '--keyring', at('keys.gpg'), '--status-fd', '1', ...files]);
    if (said === undefined) return { verdict: 'unknown', why: 'gpgv is not installed here' };
    const fingerprint = signerIn(said);
    if (typeof fingerprint !== 'string') return { verdict: 'bad', why: fingerprint.why };
    return { verdict: 'good', content: signature ? message : await readFile(at('content')), fingerprint };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function gpgv(folder: string, args: readonly string[]): Promise<string | undefined> {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', HOME: folder };
  return new Promise((resolve) => {
    execFile('gpgv', args, { env, timeout: PATIENCE_MS, maxBuffer: 1_000_000 }, (error, stdout) =>
      resolve((error as NodeJS.ErrnoException | null)?.code === 'ENOENT' ? undefined : stdout),
    );
  });
}

/**
 * Returns the fingerprint of the signing key, from the status lines of gpgv. Further signatures may be by unknown keys,
 * but none may be bad.
 */
function signerIn(status: string): string | { why: string } {
  const has = (word: string) => new RegExp(`\\[GNUPG:\\] ${word}\\b`).test(status);
  if (has('BADSIG')) return { why: 'its signature does not match its content' };
  // For an expired or revoked key, gpgv writes another word than GOODSIG.
  const good = /\[GNUPG:\] GOODSIG [^\n]*\n(?:\[GNUPG:\] (?!GOODSIG)[^\n]*\n)*?\[GNUPG:\] VALIDSIG ([^\n]+)/.exec(status)?.[1];
  const fingerprint = good?.trim().split(' ').at(-1);
  if (fingerprint !== undefined && /^[0-9A-F]{40}(?:[0-9A-F]{24})?$/.test(fingerprint)) return fingerprint;
  if (has('EXPKEYSIG')) return { why: 'it is signed by a key that has expired' };
  if (has('EXPSIG')) return { why: 'its signature has expired' };
  if (has('REVKEYSIG')) return { why: 'it is signed by a key that was revoked' };
  const other = /\[GNUPG:\] (?:NO_PUBKEY|ERRSIG) ([0-9A-F]{16,40})/.exec(status)?.[1];
  return { why: other === undefined ? 'it is not signed' : `it is signed by another key: ${other}` };
}

/** Removes the armor of keys, which gpgv cannot read. */
function binaryKeys(keyring: Buffer): Buffer {
  const text = keyring.toString('latin1');
  const blocks = text.matchAll(
    /-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n([A-Za-z0-9+/=\s]*?)(?:\r?\n=[A-Za-z0-9+/]{4})?\s*-----END/g,
  );
  const parts = [...blocks].map(([, block = '']) => Buffer.from(block, 'base64'));
  return parts.length > 0 ? Buffer.concat(parts) : keyring;
}
