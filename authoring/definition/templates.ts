import { inputError } from '../../core/errors.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { type DescribedTemplate, describeTemplate } from '../../definition/templates/describe-template.js';
import { readTemplate } from '../../definition/templates/read-template.js';
import { templateFiles } from '../../definition/templates/template-files.js';
import { DefinitionError } from './definition-error.js';

/** Template as users choose it. */
export interface TemplateInfo extends DescribedTemplate {
  name: string;
  file: string;
  /** Whether it comes with this program; otherwise it belongs to the workspace. */
  builtIn: boolean;
}

/**
 * Returns the templates that definitions in a folder may use.
 *
 * @throws DefinitionError with all problems of one
 */
export async function templatesAt(folder: string): Promise<TemplateInfo[]> {
  const { folder: root, isMarked } = await workspaceFolder(`${folder}/definition`);
  const files = await templateFiles(isMarked ? root : undefined);
  return Promise.all(
    files.map(async ({ name, file, within, builtIn }) => {
      const template = await readTemplate({ file, within });
      if (Array.isArray(template)) throw new DefinitionError(file, template, 'template');
      return { name, file, builtIn, ...describeTemplate(template) };
    }),
  );
}

/**
 * Returns a template by name.
 *
 * @throws inputError `unknown-template`
 */
export function templateNamed(all: readonly TemplateInfo[], name: string): TemplateInfo {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const known = all.map((one) => one.name);
  throw inputError({
    code: 'unknown-template',
    what: 'find the template',
    on: name,
    why: 'the platform has no template with this name',
    hint: didYouMean(name, known),
  });
}
