import * as z from 'zod';
import { fileOfBundle } from '../../bundle/bundle-store.js';
import { method } from '../../method.js';
import { address } from '../../schemas/bundle.js';
import { infra } from '../../schemas/ids.js';

export const fileOfTheBundle = method({
  name: 'bundles.file',
  summary: 'Return the text of a source file from a bundle',
  input: z.strictObject({ ...infra, bundle: address, path: z.string().max(1_000).describe('Path from the list of bundles.read') }),
  output: z.strictObject({ text: z.string() }),
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['unknown-bundle', 'blob-missing'],
  run: async ({ engine: { stores } }, { bundle, path, ...place }) => ({
    text: await fileOfBundle(stores.blobs, place, bundle, path),
  }),
});
