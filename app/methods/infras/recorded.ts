import * as z from 'zod';
import { method } from '../../method.js';
import { infra, time } from '../../schemas/ids.js';

export const recordedOfInfra = method({
  name: 'infras.recorded',
  summary: 'Return the time when an infra was last recorded; empty if there is no record',
  input: z.strictObject(infra),
  output: z.strictObject({ at: time.optional() }),
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  async run({ engine }, place) {
    const feeds = await engine.stores.feeds.read(place);
    const at = feeds
      .flatMap(({ entries }) => entries.at(-1)?.at ?? [])
      .sort()
      .at(-1);
    return at === undefined ? {} : { at };
  },
});
