import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import { formats } from '../../definition/source/formats.js';
import { describeTemplate } from '../../definition/templates/describe-template.js';
import { SIZE } from '../../definition/templates/read-sizes.js';
import type { Template } from '../../definition/templates/read-template.js';
import type { TemplateFile } from '../../definition/templates/template-files.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import type { FileEdit } from '../versions/edit-definition.js';
import { definitionFolder } from './find-definition.js';
import type { WantedValue } from './refuse-ineffective.js';
import { addRequiredValues, hasExpression, loadTemplate, readTemplateValues, type TemplateValues } from './template-values.js';

/** A cluster to create from a template. */
export interface NewCluster {
  infra: string;
  provider?: string | undefined;
  region?: string | undefined;
  size?: string | undefined;
  /** Values of parameters, each as `NAME=VALUE`. */
  set?: readonly string[] | undefined;
}

/** Prepared definition file of a new cluster. */
export interface PreparedCluster {
  edit: FileEdit;
  wanted: WantedValue[];
}

/**
 * Prepares the definition file of a new cluster. Writes nothing.
 *
 * @param cwd absolute: the folder of the workspace, or a folder in it
 * @throws DefinitionError with one problem for each wrong value; inputError `bad-arguments`, `file-exists`
 */
export async function prepareCluster(
  context: Context,
  found: TemplateFile,
  wish: NewCluster,
  cwd: string,
): Promise<PreparedCluster> {
  const { infra, size, set = [] } = wish;
  if (!NAME.test(infra))
    throw inputError({
      code: 'bad-arguments',
      what: 'name the infra',
      on: infra,
      why: 'the name is not valid',
      hint: `--name NAME: ${NAME_RULE}`,
    });
  refuseExpressions(wish);
  const template = await loadTemplate(found);
  const sized = readTemplateValues(template, size === undefined ? [] : [`${SIZE}=${size}`], '--size');
  const given = readTemplateValues(template, set);
  const values = { ...sized.values, ...given.values };
  const problems = [...sized.problems, ...given.problems];
  if (problems.length === 0) problems.push(...(await addRequiredValues(context, template, values)));
  if (problems.length > 0) throw new DefinitionError(found.name, problems, 'values for the template');
  const folder = await definitionFolder(cwd);
  const file = relative('', join(folder, `${infra}.yaml`));
  const present = await findPresent(folder, infra);
  if (present !== undefined)
    throw inputError({
      code: 'file-exists',
      what: 'write the definition',
      on: present,
      why: 'the file exists',
      hint: `choose another name with --name, or apply the file: provisioning apply ${present}`,
    });
  const after = clusterText(file, found.name, template, wish, values);
  const edit: FileEdit = {
    file,
    before: undefined,
    after,
    subject: 'file',
    lines: after
      .trimEnd()
      .split('\n')
      .map((line) => `+${line}`),
  };
  const own = { provider: wish.provider, region: wish.region };
  const wanted = [
    ...Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : [{ path: [key], value, isNew: true }])),
    ...Object.entries(values).map(([key, value]) => ({ path: ['use', found.name, key], value, isNew: true })),
  ];
  return { edit, wanted };
}

/** Returns the file that has the name of an infra already, in any format of definitions, whether it can be read or not. */
async function findPresent(folder: string, infra: string): Promise<string | undefined> {
  for (const kind of Object.keys(formats)) {
    const file = join(folder, `${infra}${kind}`);
    if (await lstat(file).catch(() => undefined)) return relative('', file);
  }
  return undefined;
}

/** A later change of the file may turn expressions on, and its values were given as plain texts. */
function refuseExpressions({ provider, region }: NewCluster): void {
  for (const [option, value] of Object.entries({ '--provider': provider, '--region': region }))
    if (value !== undefined && hasExpression(value))
      throw inputError({
        code: 'bad-arguments',
        what: 'read the command line',
        on: option,
        why: 'its value is an expression',
        hint: 'write it into the definition file',
      });
}

/** Returns a text as one line, for a comment: any other line of it would be a part of the definition. */
const joinLines = (text: string): string => text.replaceAll(/[\s\u0085]+/g, ' ').trim();

const block = (value: unknown): string => stringify(value, { lineWidth: 0 });

/** Returns the text of the definition. Parameters without a value are comments with their defaults. */
function clusterText(
  file: string,
  name: string,
  template: Template,
  { infra, provider, region }: NewCluster,
  values: TemplateValues,
): string {
  const { description, parameters, sizes } = describeTemplate(template);
  const sized = sizes[String(values[SIZE])] ?? {};
  const size = Object.keys(sizes).length === 0 ? [] : [{ name: SIZE, description: Object.keys(sizes).join(', ') }];
  const lines = [...size, ...parameters].flatMap((parameter): string[] => {
    const { name: key, description: about } = parameter;
    const preset = sized[key] ?? ('default' in parameter ? parameter.default : undefined);
    const isGiven = Object.hasOwn(values, key);
    if (!isGiven && preset === undefined) return [];
    const entry = block({ [key]: isGiven ? values[key] : preset }).trimEnd();
    const shown = entry.split('\n').map((line) => `    ${isGiven ? '' : '# '}${line}`);
    return [...(about ? [`    # ${joinLines(about)}`] : []), ...shown];
  });
  const hasValues = Object.keys(values).length > 0;
  return `# ${joinLines(description)}: provisioning cluster templates ${name}
#
#   provisioning apply ${file} --check     what would be done
#   provisioning cluster status ${infra}
#   provisioning cluster delete ${infra}

${block({ infra })}${provider === undefined ? '' : block({ provider })}${region === undefined ? '' : block({ region })}
use:
  ${name}:${hasValues ? '' : ' {}'}
${lines.map((line) => `${line}\n`).join('')}`;
}
