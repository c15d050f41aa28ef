import * as z from 'zod';
import { time } from './ids.js';

const text = z.string();

/** A change of an infra, without its content. */
const infraChange = z.strictObject({
  change: z.enum([
    ...(['server', 'server-gone', 'network', 'network-gone', 'service', 'service-gone'] as const),
    ...(['definition', 'definition-applied', 'definition-undone', 'received'] as const),
  ]),
  server: text.optional(),
  network: text.optional(),
  taskserv: text.optional(),
});
export type InfraChange = z.output<typeof infraChange>;

const cursor = text.describe('Pass it as `after` to continue after this event');
const place = {
  cursor,
  infra: text,
  uuid: text.describe('Lifetime id of the infra: an infra that is created again has another id'),
  sequence: z.int().min(1).describe('Number from 1, within the lifetime of the infra'),
  at: time,
};

/** An event in the feed of an infra. */
export const infraEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('start'), cursor }),
  z.strictObject({ type: z.literal('changes'), ...place, operation: text, actor: text, changes: z.array(infraChange) }),
  z.strictObject({ type: z.literal('snapshot'), ...place }).describe('Replaces all former events: read the inventory again'),
  z.strictObject({ type: z.literal('ended'), ...place }).describe('The infra was deleted'),
]);
export type InfraEvent = z.output<typeof infraEvent>;

/** Cursor at which a stream continues. */
export const eventCursor = z.string().min(1).max(65_536).optional().describe('The cursor of an event; if absent, only new events');
