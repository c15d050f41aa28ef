import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { describeContent, fileContent } from '../../catalog/file-content.js';
import { readTemplates } from '../../catalog/read-templates.js';
import { method } from '../../method.js';
import { catalogResource, listedTemplate } from '../../schemas/catalog.js';

export const getTemplate = method({
  name: 'templates.get',
  summary: 'Return a cluster template of the platform: its parameters and its file',
  input: z.strictObject({ template: z.string().min(1).max(255).describe('Name of the template') }),
  output: z.strictObject({ ...listedTemplate.shape, ...fileContent }),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: ['unknown-template'],
  async run(_, { template: asked }) {
    const all = await readTemplates();
    const found = all.find(({ listed }) => listed.name === asked);
    if (found) return { ...found.listed, ...describeContent(found.source) };
    throw inputError({
      code: 'unknown-template',
      what: 'find the template',
      on: asked,
      why: 'the platform has no template with this name',
      hint: didYouMean(
        asked,
        all.map(({ listed }) => listed.name),
      ),
    });
  },
});
