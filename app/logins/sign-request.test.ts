import { expect, test } from 'vitest';
import { ProvisioningError } from '../../core/errors.js';
import { fc } from '../../test/support/fast-check.js';
import { bytesOf, writeRequest } from '../../test/support/login-requests.js';
import { MOST_REQUEST, parseSignRequest } from './sign-request.js';

const request = { user: 'root', algorithm: 'ssh-ed25519', key: Buffer.from('a key') };

/** Returns the request, or the code of the refusal; any other error is a fault. */
function answerTo(data: Buffer): ReturnType<typeof parseSignRequest> | string {
  try {
    return parseSignRequest(data);
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    return error.details.code;
  }
}

test('a login by a public key is read, in both forms', () => {
  expect(parseSignRequest(writeRequest(request))).toEqual(request);
  const hostKey = Buffer.from('the key of the host');
  expect(parseSignRequest(writeRequest({ ...request, hostKey }))).toEqual({ ...request, hostKey });
  for (const sessionId of [20, 32, 48, 64])
    expect(answerTo(writeRequest(request, { sessionId: Buffer.alloc(sessionId) }))).toEqual(request);
});

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  [
    'a file or a commit (SSHSIG)',
    Buffer.concat([Buffer.from('SSHSIG'), bytesOf('file'), bytesOf(''), bytesOf('sha512'), bytesOf('hash')]),
  ],
  ['a certificate', Buffer.concat([bytesOf('ssh-ed25519-cert-v01@openssh.com'), bytesOf('nonce'), bytesOf('key')])],
  ['no session id', writeRequest(request, { sessionId: Buffer.alloc(0) })],
  ['a session id of another size', writeRequest(request, { sessionId: Buffer.alloc(33) })],
  ['another message', writeRequest(request, { type: 80 })],
  ['another service', writeRequest(request, { service: 'ssh-userauth' })],
  ['a method with the host of the client', writeRequest(request, { method: 'hostbased' })],
  ['a method by a password', writeRequest(request, { method: 'password' })],
  ['a question without a signature', writeRequest(request, { signs: 0 })],
  ['a true that is not 1', writeRequest(request, { signs: 2 })],
  ['a signature with SHA-1', writeRequest({ ...request, algorithm: 'ssh-rsa' })],
  ['the algorithm of a certificate', writeRequest({ ...request, algorithm: 'ssh-ed25519-cert-v01@openssh.com' })],
  ['a name that every object has', writeRequest({ ...request, algorithm: 'constructor' })],
  ['something behind it', Buffer.concat([writeRequest(request), Buffer.alloc(1)])],
  ['a host key in the form without one', Buffer.concat([writeRequest(request), bytesOf('host key')])],
  ['no host key in the form with one', writeRequest(request, { method: 'publickey-hostbound-v00@openssh.com' })],
  ['more than a request has', writeRequest({ ...request, key: Buffer.alloc(MOST_REQUEST) })],
])('what is not such a login is refused: %s', (_, data) => {
  expect(answerTo(data)).toBe('signature-refused');
});

test('whatever is cut off anywhere is refused', () => {
  const data = writeRequest({ ...request, hostKey: Buffer.from('host') });
  for (let end = 0; end < data.length; end++) expect(answerTo(data.subarray(0, end))).toBe('signature-refused');
});

test('hostile bytes are refused, and what is taken is one login and nothing else', () => {
  const valid = fc
    .record({
      user: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text).toString('latin1')),
      algorithm: fc.constantFrom('ssh-ed25519', 'rsa-sha2-512', 'ssh-rsa', 'none'),
      key: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    })
    .map((one) => writeRequest(one));
  const damaged = fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat(), fc.uint8Array({ maxLength: 3 }))
    .map(([data, changes, cut, more]) => {
      const bytes = Buffer.from(data);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return Buffer.concat([bytes.subarray(0, bytes.length - (cut % 3)), more]);
    });
  const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(valid, damaged, noise), (data) => {
      const answer = answerTo(data);
      if (typeof answer === 'string') return answer === 'signature-refused';
      taken++;
      // Serialized again from its parts it is the same, so no byte is unchecked.
      const sessionId = data.subarray(4, 4 + data.readUInt32BE());
      return writeRequest(answer, { sessionId }).equals(data);
    }),
    { numRuns: 1_000 },
  );
  expect(taken).toBeGreaterThan(100);
});
