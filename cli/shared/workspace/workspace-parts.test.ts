import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { inputError, ProvisioningError, TRANSIENT } from '../../../core/errors.js';
import { failure } from '../../../test/support/secret-client.js';
import type { Session } from '../../program/session.js';
import { uploadParts } from './workspace-parts.js';

const listed = [randomBytes(10), randomBytes(4)];
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const parts = listed.map((bytes) => ({ hash: hashOf(bytes), size: bytes.length }));

/** Uploads chunks. Returns the parts that came, and how many chunks were read. */
async function upload(chunks: Buffer[]) {
  const came: string[] = [];
  let read = 0;
  async function* content() {
    for (const chunk of chunks) {
      read++;
      yield chunk;
    }
  }
  const call = async ({ data = {} }: { data?: Record<string, string> }) => {
    came.push(...Object.values(data));
    return { upload: 'id', missing: parts.map(({ hash }) => hash) };
  };
  const session = { client: async () => ({ workspaces: { upload: call } }), note: () => {} } as unknown as Session;
  const ends = uploadParts(session, 'shop', { parts, content: content() });
  const failed = await ends.then(() => undefined).catch((error: unknown) => error);
  return { came, read, failed };
}

const whole = Buffer.concat(listed);
const base64 = listed.map((bytes) => bytes.toString('base64'));

test('content is cut into the parts that are listed', async () => {
  const chunks = [whole.subarray(0, 3), whole.subarray(3, 11), whole.subarray(11)];
  expect(await upload(chunks)).toEqual({ came: base64, read: 3, failed: undefined });
});

test('content that goes on after the last part is refused at once', async () => {
  const more = Array.from({ length: 1_000 }, () => randomBytes(8));
  const { came, read, failed } = await upload([whole, ...more]);
  expect([came, read]).toEqual([base64, 2]);
  expect(failed).toMatchObject(failure('bad-export'));
});

test('an upload that is cut says how it continues', async () => {
  const cut = new ProvisioningError({ code: 'answer-lost', blame: TRANSIENT, what: 'ask the server', why: 'x', hint: 'y' });
  const refused = inputError({ code: 'unknown-transfer', what: 'find the parts', why: 'x', hint: 'y' });
  async function* content() {
    yield whole;
  }
  const failing = (error: Error) => {
    const call = async ({ data }: { data?: object }) => {
      if (data) throw error;
      return { upload: 'id', missing: parts.map(({ hash }) => hash) };
    };
    const session = { client: async () => ({ workspaces: { upload: call } }), note: () => {} } as unknown as Session;
    return uploadParts(session, 'shop', { parts, content: content() });
  };
  await expect(failing(cut)).rejects.toMatchObject({
    details: { code: 'answer-lost', hint: expect.stringContaining('repeat the command') },
  });
  await expect(failing(refused)).rejects.toMatchObject({ details: { code: 'unknown-transfer', hint: 'y' } });
});
