import * as z from 'zod';
import { bugError } from '../../../core/errors.js';
import { readTemplate } from '../../../definition/templates/read-template.js';
import { templateFiles } from '../../../definition/templates/template-files.js';
import { method } from '../../method.js';
import { catalogResource, listedTemplate } from '../../schemas/catalog.js';

export const listTemplates = method({
  name: 'templates.list',
  summary: 'List the cluster templates of the platform with their parameters; a workspace may have further ones',
  input: z.strictObject({}),
  output: z.array(listedTemplate),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run() {
    const files = await templateFiles(undefined);
    return Promise.all(
      files.map(async ({ name, file, within }) => {
        const template = await readTemplate({ file, within });
        if (Array.isArray(template))
          throw bugError({ code: 'bad-answer', what: 'read the template', on: name, why: 'the template has problems' });
        const parameters = [...template.parameters.values()].map(({ name, type, description, value }) => ({
          ...{ name, type, ...(description && { description }), ...(value !== undefined && { default: value.value }) },
        }));
        return { name, description: template.description, parameters };
      }),
    );
  },
});
