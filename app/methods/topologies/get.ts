import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { describeContent, fileContent } from '../../catalog/file-content.js';
import { readTopologies } from '../../catalog/read-topologies.js';
import { method } from '../../method.js';
import { catalogResource } from '../../schemas/catalog.js';
import { listedTopology } from '../../schemas/topology.js';

export const getTopology = method({
  name: 'topologies.get',
  summary: 'Return a topology of the platform: its servers, its taskservs and the scripts that test it',
  input: z.strictObject({ topology: z.string().min(1).max(255).describe('Name of the topology') }),
  output: z.strictObject({ ...listedTopology.shape, ...fileContent }),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: ['unknown-topology'],
  async run(_, { topology: asked }) {
    const all = await readTopologies();
    const found = all.find(({ listed }) => listed.name === asked);
    if (found) return { ...found.listed, ...describeContent(found.source) };
    throw inputError({
      code: 'unknown-topology',
      what: 'find the topology',
      on: asked,
      why: 'the platform has no topology with this name',
      hint: didYouMean(
        asked.replaceAll('-', '_'),
        all.map(({ listed }) => listed.name),
      ),
    });
  },
});
