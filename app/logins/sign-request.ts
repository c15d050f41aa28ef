import { inputError } from '../../core/errors.js';

/** Data that an SSH client asks to sign for a login by public key. */
export interface SignRequest {
  user: string;
  /** Algorithm of the signature: `ssh-ed25519`, `rsa-sha2-512`. */
  algorithm: string;
  /** The public key, as SSH writes it. */
  key: Buffer;
  /** The key that the host has shown; only the hostbound form of OpenSSH has it. */
  hostKey?: Buffer;
}

/** Bytes that a request may have. One with the largest RSA key that OpenSSH takes has about 2,500. */
export const MOST_REQUEST = 16 * 1024;

const SSH_MSG_USERAUTH_REQUEST = 50;
/** Sizes of a session id in bytes: the size of the key exchange hash (SHA-1, SHA-256, SHA-384, SHA-512). */
const SESSION_ID_SIZES: ReadonlySet<number> = new Set([20, 32, 48, 64]);
const PUBLIC_KEY = 'publickey';
const HOSTBOUND = 'publickey-hostbound-v00@openssh.com';
/** Signatures that are made. SHA-1 (`ssh-rsa`), certificates and keys on tokens are not. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  'ssh-ed25519',
  'rsa-sha2-256',
  'rsa-sha2-512',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
]);

/**
 * Parses the data to sign (RFC 4252, section 7). Everything else is refused: a key also signs files, certificates and
 * commits, and such a signature would be worth more than a login.
 *
 * @throws inputError `signature-refused`
 */
export function parseSignRequest(data: Buffer): SignRequest {
  if (data.length > MOST_REQUEST) throw refuseSignature(`it has more than ${MOST_REQUEST} bytes`);
  let at = 0;
  const take = (size: number): Buffer => {
    if (size > data.length - at) throw refuseSignature('it is cut off');
    at += size;
    return data.subarray(at - size, at);
  };
  const bytes = () => take(take(4).readUInt32BE());
  // One character a byte: no two texts of bytes are the same text.
  const text = () => bytes().toString('latin1');
  const expect = (isExpected: boolean, part: string) => {
    if (!isExpected) throw refuseSignature(`it is no login by a public key: ${part}`);
  };
  expect(SESSION_ID_SIZES.has(bytes().length), 'session id');
  expect(take(1)[0] === SSH_MSG_USERAUTH_REQUEST, 'type of the message');
  const user = text();
  expect(text() === 'ssh-connection', 'service');
  const method = text();
  expect(method === PUBLIC_KEY || method === HOSTBOUND, 'method');
  expect(take(1)[0] === 1, 'signature');
  const algorithm = text();
  expect(ALGORITHMS.has(algorithm), 'algorithm');
  const key = bytes();
  const hostKey = method === HOSTBOUND ? bytes() : undefined;
  expect(at === data.length, 'length');
  return { user, algorithm, key, ...(hostKey && { hostKey }) };
}

/** The error of a signature that is not made. */
export const refuseSignature = (why: string) => inputError({ code: 'signature-refused', what: 'sign the login', why });
