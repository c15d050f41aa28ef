import * as z from 'zod';

const time = z.iso.datetime({ offset: true });

/** Content of a token by Temporal's store: the last row for SQL, a position for Elasticsearch. */
const content = z.looseObject({
  CloseTime: time.optional(),
  StartTime: time.optional(),
  RunID: z.string().max(100).optional(),
  SearchAfter: z.array(z.unknown()).max(20).optional(),
});

/**
 * Token of a page in Temporal's lists, as base64. Temporal treats an unreadable token as an internal error, which
 * clients retry repeatedly.
 */
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
