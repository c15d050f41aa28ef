import * as z from 'zod';
import { readBundle } from '../../bundle/bundle-store.js';
import { method } from '../../method.js';
import { address, bundle } from '../../schemas/bundle.js';
import { infra } from '../../schemas/ids.js';

export const readTheBundle = method({
  name: 'bundles.read',
  summary: 'List the source files of a definition, without their texts',
  input: z.strictObject({ ...infra, bundle: address }),
  output: bundle,
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  rest: { verb: 'GET', path: '/workspaces/{workspace}/infras/{infra}/bundles/{bundle}' },
  errors: ['unknown-bundle'],
  run: ({ engine: { stores } }, { bundle, ...place }) => readBundle(stores.blobs, place, bundle),
});
