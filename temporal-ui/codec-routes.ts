import type { Payload, PayloadCodec } from '@temporalio/common';
import { type Context, Hono } from 'hono';
import { messageOf } from '../core/errors.js';

/** Payload in the JSON form of protobuf: bytes are base64. */
interface PayloadJson {
  metadata?: Record<string, string>;
  data?: string;
}

type Translate = (payloads: Payload[]) => Promise<Payload[]>;

/**
 * Serves Temporal's remote codec protocol: `POST …/decode` and `…/encode` of `{ payloads }`, the namespace in a header.
 */
export function codecRoutes(codecOf: (namespace: string) => PayloadCodec, namespace: string): Hono {
  const of = (c: Context) => codecOf(c.req.header('x-namespace') || namespace);
  return new Hono()
    .post('/decode', (c) => answer(c, (payloads) => decodeEach(of(c), payloads)))
    .post('/encode', (c) => answer(c, (payloads) => of(c).encode(payloads)));
}

async function answer(c: Context, translate: Translate): Promise<Response> {
  let payloads: Payload[];
  try {
    const body = (await c.req.json()) as { payloads?: PayloadJson[] };
    payloads = (body.payloads ?? []).map(fromJson);
  } catch {
    return c.json({ message: 'cannot read the request: it is not of the form { "payloads": [{ "metadata", "data" }] }' }, 400);
  }
  try {
    return c.json({ payloads: (await translate(payloads)).map(toJson) });
  } catch (error) {
    return c.json({ message: messageOf(error) }, 422);
  }
}

/** Decodes each payload. A payload that cannot be decoded stays as it is; if all fail, the error is the answer. */
async function decodeEach(codec: PayloadCodec, payloads: Payload[]): Promise<Payload[]> {
  const settled = await Promise.allSettled(payloads.map((payload) => codec.decode([payload])));
  const failed = settled.find((one): one is PromiseRejectedResult => one.status === 'rejected');
  if (failed && settled.every(({ status }) => status === 'rejected')) throw failed.reason;
  return settled.map((one, index) => (one.status === 'fulfilled' ? one.value[0] : payloads[index]) as Payload);
}

function fromJson({ metadata = {}, data = '' }: PayloadJson): Payload {
  const entries = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(entries), data: Buffer.from(data, 'base64') };
}

function toJson({ metadata, data }: Payload): PayloadJson {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return { metadata: Object.fromEntries(entries), data: Buffer.from(data ?? []).toString('base64') };
}
