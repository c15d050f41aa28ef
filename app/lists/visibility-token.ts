import * as z from 'zod';

const time = z.iso.datetime({ offset: true });

/** What Temporal's stores write into a token: SQL the last row, Elasticsearch a place of its own. */
const content = z.looseObject({
  CloseTime: time.optional(),
  StartTime: time.optional(),
  RunID: z.string().max(100).optional(),
  SearchAfter: z.array(z.unknown()).max(20).optional(),
});

/** The token of a page of Temporal's lists, as base64. Temporal takes one that it cannot read for a fault of its own, and is asked again and again. */
export const visibilityToken = z
  .base64()
  .min(1)
  .max(8_192)
  .refine((token) => content.safeParse(jsonIn(token)).success);

function jsonIn(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString());
  } catch {
    return undefined;
  }
}
