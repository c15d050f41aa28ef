import * as z from 'zod';
import { putBundle } from '../../bundle/bundle-store.js';
import { method } from '../../method.js';
import { address, bundle } from '../../schemas/bundle.js';

export const putTheBundle = method({
  name: 'bundles.put',
  summary: 'Store the source files of a definition, each once. Returns the address of the bundle, or the files that are missing',
  input: z.strictObject({
    bundle,
    texts: z.record(address, z.string()).optional().describe('Texts of missing files, by address'),
  }),
  output: z.strictObject({ bundle: address.optional(), missing: z.array(address) }),
  permission: {
    action: 'bundle:put',
    resource: ({ bundle: { workspace, infra } }) => ({ type: 'Infra', id: `${workspace}/${infra}` }),
  },
  rest: { verb: 'POST', path: '/bundles' },
  errors: ['bad-bundle'],
  repeatable: true,
  run: ({ engine: { stores } }, { bundle, texts = {} }) => putBundle(stores.blobs, bundle, texts),
});
