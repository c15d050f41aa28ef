import type { Payload, PayloadCodec } from '@temporalio/common';
import { expect, test } from 'vitest';
import { decodeMessage } from './decode-message.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const sealed = (text: string): Payload => ({ metadata: { encoding: bytes('sealed') }, data: bytes(text) });
/** Decodes by reversing the bytes. */
const codec: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map(({ data }) => ({ metadata: { encoding: bytes('plain') }, data: data?.toReversed() })),
};

class Time {
  constructor(readonly seconds: number) {}
}

test('every payload is decoded, at each depth, and all else stays what it was', async () => {
  const message = {
    events: [{ at: new Time(7), input: { payloads: [sealed('abc'), sealed('xyz')] }, token: bytes('token'), failure: null }],
    memo: { fields: { note: sealed('12') } },
    metadata: { other: 'no encoding' },
    length: 3,
    name: undefined,
  };
  const decoded = await decodeMessage(codec, message);
  const plain = (text: string) => ({ metadata: { encoding: bytes('plain') }, data: bytes(text) });
  expect(decoded).toEqual({
    ...message,
    events: [{ ...message.events[0], input: { payloads: [plain('cba'), plain('zyx')] } }],
    memo: { fields: { note: plain('21') } },
  });
  expect(decoded.events[0]?.at).toBeInstanceOf(Time);
  expect(decoded.events[0]?.token).toBeInstanceOf(Uint8Array);
  expect(message.memo.fields.note.data).toEqual(bytes('12'));
});

test('a text, a number and nothing are no messages', async () => {
  for (const value of ['text', 7, null, undefined]) expect(await decodeMessage(codec, value)).toBe(value);
});
