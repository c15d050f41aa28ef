import * as z from 'zod';
import { bugError } from '../../../core/errors.js';
import { readTemplate } from '../../../definition/templates/read-template.js';
import { templateFiles } from '../../../definition/templates/template-files.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { catalogResource, listedTemplate } from '../../schemas/catalog.js';

export const listTemplates = list({
  name: 'templates.list',
  summary: 'List the cluster templates of the platform with their parameters; a workspace may have further ones',
  input: z.strictObject(namedFields),
  item: listedTemplate,
  pages: {},
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run(_, asked) {
    const files = await templateFiles(undefined);
    const all = await Promise.all(
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
    return pageByKey(['templates.list'], all, { asked, keyOf: ({ name }) => name });
  },
});
