import type { Payload, PayloadCodec } from '@temporalio/common';

/** Returns a copy of a Temporal message (a history, a description) with every payload decoded. */
export async function decodeMessage<T>(codec: PayloadCodec, message: T): Promise<T> {
  return (await walk(codec, message)) as T;
}

async function walk(codec: PayloadCodec, value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => walk(codec, item)));
  if (isPayload(value)) return (await codec.decode([value]))[0];
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
  for (const [name, item] of Object.entries(value)) copy[name] = await walk(codec, item);
  return copy;
}

/** Recognizes payloads, the only messages with an encoding in their metadata. */
const isPayload = (value: object): value is Payload =>
  'metadata' in value && value.metadata !== null && typeof value.metadata === 'object' && 'encoding' in value.metadata;
