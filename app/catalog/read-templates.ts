import type * as z from 'zod';
import { bugError } from '../../core/errors.js';
import type { Source } from '../../definition/source/source.js';
import { describeTemplate } from '../../definition/templates/describe-template.js';
import { readTemplate } from '../../definition/templates/read-template.js';
import { templateFiles } from '../../definition/templates/template-files.js';
import type { listedTemplate } from '../schemas/catalog.js';

/** The cluster templates of the platform by their names, as a list shows them, each with its file. */
export async function readTemplates(): Promise<{ listed: z.output<typeof listedTemplate>; source: Source }[]> {
  const files = await templateFiles(undefined);
  return Promise.all(
    files.map(async ({ name, file, within }) => {
      const template = await readTemplate({ file, within });
      if (Array.isArray(template))
        throw bugError({ code: 'bad-answer', what: 'read the template', on: name, why: 'the template has problems' });
      return { listed: { name, ...describeTemplate(template) }, source: template.source };
    }),
  );
}
