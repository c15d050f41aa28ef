import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { bytesOf } from '../../test/support/login-requests.js';
import { answerMessage, serveAgent } from './agent.js';

const FAILURE = Buffer.of(5);
const key = {
  public: Buffer.from('the public key'),
  comment: 'web-1',
  sign: async (data: Buffer) => Buffer.concat([Buffer.from('signed '), data]),
};
const LIST = Buffer.of(11);
const LISTED = Buffer.concat([Buffer.of(12, 0, 0, 0, 1), bytesOf(key.public), bytesOf('web-1')]);
const signRequest = (blob: Buffer, data: string) => Buffer.concat([Buffer.of(13), bytesOf(blob), bytesOf(data), Buffer.alloc(4)]);
/** First message of OpenSSH. */
const BIND = Buffer.concat([Buffer.of(27), bytesOf('session-bind@openssh.com'), bytesOf('host key'), bytesOf('id')]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Sends bytes in two parts and returns the answers, until all have arrived or the connection ends. */
async function ask(bytes: Buffer, cut: number, answers: number): Promise<Buffer> {
  const close = await serveAgent(join(folder, 's'), key);
  const socket = connect(join(folder, 's'));
  let said = Buffer.alloc(0);
  socket
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      said = Buffer.concat([said, chunk]);
      if (said.length >= answers) socket.destroy();
    });
  socket.write(bytes.subarray(0, cut));
  setImmediate(() => socket.writable && socket.write(bytes.subarray(cut)));
  await once(socket, 'close');
  close();
  return said;
}

test('one key is listed, and data is signed by it, whatever else is asked before', async () => {
  const bytes = Buffer.concat([BIND, LIST, signRequest(key.public, 'data')].map(bytesOf));
  const expected = Buffer.concat([FAILURE, LISTED, Buffer.concat([Buffer.of(14), bytesOf('signed data')])].map(bytesOf));
  for (const cut of [1, 3, 30, bytes.length]) expect(await ask(bytes, cut, expected.length)).toEqual(expected);
});

test('a message that is too large, or none, ends the connection', async () => {
  for (const size of [Buffer.of(255, 255, 255, 255), Buffer.alloc(4)]) expect(await ask(size, 4, 1)).toEqual(Buffer.alloc(0));
});

test('a signature that is refused, and one by another key, is a failure', async () => {
  const refuses = { ...key, sign: () => Promise.reject(new Error('no')) };
  expect(await answerMessage(signRequest(key.public, 'data'), refuses)).toEqual(FAILURE);
  expect(await answerMessage(signRequest(Buffer.from('another'), 'data'), key)).toEqual(FAILURE);
});

test('whatever else is asked fails: keys cannot be added, removed or locked', async () => {
  const message = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 80 }),
    fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 30 })).map(([type, rest]) => Buffer.of(type, ...bytesOf(key.public), ...rest)),
  );
  await fc.assert(
    fc.asyncProperty(message, async (bytes) => {
      const answer = await answerMessage(Buffer.from(bytes), key);
      if (bytes[0] === 11) return answer.equals(LISTED);
      return answer.equals(FAILURE) || (bytes[0] === 13 && answer[0] === 14);
    }),
  );
});
