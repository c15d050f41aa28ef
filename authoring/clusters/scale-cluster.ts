import { isDeepStrictEqual } from 'node:util';
import { inputError } from '../../core/errors.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { type ValueToWrite, writeValues } from '../../definition/rewrite/write-values.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { type Path, type Problem, pathText } from '../../definition/source/problem.js';
import { readSource } from '../../definition/source/read-source.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';
import type { Template } from '../../definition/templates/read-template.js';
import { templateFiles } from '../../definition/templates/template-files.js';
import { DefinitionError } from '../definition/definition-error.js';
import { describeDifference, type FileEdit } from '../versions/edit-definition.js';
import { valueAt, type WantedValue } from './refuse-ineffective.js';
import { collectParameters, loadTemplate, readTemplateValues } from './template-values.js';

/** Requested values of a cluster. */
export interface ScaleWish {
  /** Values of the template's parameters, each as `NAME=VALUE`, or as `TEMPLATE.NAME=VALUE` if it uses several. */
  set: readonly string[];
  /** Numbers of servers, each as `GROUP=NUMBER`. */
  groups: readonly string[];
}

/** Prepared change of a definition file. */
export interface Scale {
  /** Absent if the file has these values already. */
  edit?: FileEdit;
  wanted: WantedValue[];
}

/** A change of one value, and the group of servers whose number it is. */
type Change = ValueToWrite & { group?: string };

interface UsedTemplate {
  name: string;
  template: Template;
}

/**
 * Returns the edit of a definition file after which the cluster has other values. Comments stay. Writes nothing.
 *
 * @param file path of the definition
 * @throws DefinitionError with one problem for each wrong value; inputError `value-not-written`
 */
export async function prepareScale(file: string, wish: ScaleWish): Promise<Scale> {
  const { folder, isMarked } = await workspaceFolder(file);
  const source = await readSource(file, 'infra: NAME', folder);
  if ('message' in source) throw new DefinitionError(file, [source]);
  const used = await usedTemplates(source, isMarked ? folder : undefined);
  const changes: Change[] = [];
  const problems: Problem[] = [];
  for (const made of [
    ...wish.set.map((text) => changeOfValue(source, used, text)),
    ...wish.groups.map((text) => changeOfGroup(source, used, text)),
  ]) {
    if ('path' in made && 'value' in made) changes.push(made);
    else problems.push(...(Array.isArray(made) ? made : [made]));
  }
  if (problems.length > 0) throw new DefinitionError(file, problems, 'values for the cluster');
  const before = source.texts?.find((one) => one.file === file)?.text ?? '';
  const written = await writeValues(file, before, changes);
  if (written.text === undefined)
    throw inputError({
      code: 'value-not-written',
      what: `write ${changes.map(({ path }) => `"${pathText(path)}"`).join(' and ')}`,
      on: file,
      why: written.why,
      hint: `edit the file, then run: provisioning apply ${file}`,
    });
  const wanted = changes.map((one) => ({ ...one, isNew: !isDeepStrictEqual(valueAt(source.value, one.path), one.value) }));
  if (written.text === before) return { wanted };
  const edit: FileEdit = { file, before, after: written.text, subject: 'values', lines: describeDifference(before, written.text) };
  return { edit, wanted };
}

async function usedTemplates({ value }: Source, workspace: string | undefined): Promise<UsedTemplate[]> {
  const use = isRecord(value) ? value.use : undefined;
  const names = typeof use === 'string' ? [use] : isRecord(use) ? Object.keys(use) : [];
  const files = await templateFiles(workspace);
  const found = names.flatMap((name) => files.filter((one) => one.name === name));
  return Promise.all(found.map(async (one) => ({ name: one.name, template: await loadTemplate(one) })));
}

function changeOfValue(source: Source, used: readonly UsedTemplate[], text: string): ValueToWrite | Problem[] | Problem {
  const say = sayIn(source);
  const [, key = ''] = /^([^=]*)=/.exec(text) ?? [];
  if (used.length === 0) return say(['infra'], '--set: the definition uses no template', 'scale a group of servers: GROUP=NUMBER');
  const [prefix, rest] = key.includes('.')
    ? [key.slice(0, key.indexOf('.')), text.slice(text.indexOf('.') + 1)]
    : [undefined, text];
  const named = prefix === undefined ? used : used.filter(({ name }) => name === prefix);
  const parameter = /^([^=]*)/.exec(rest)?.[1] ?? '';
  const having = named.filter(({ template }) => collectParameters(template).has(parameter));
  const [only] = having;
  if (having.length > 1)
    return say(
      ['use'],
      `--set: the templates ${having.map(({ name }) => name).join(' and ')} have the parameter "${parameter}"`,
      `--set ${only?.name}.${rest}`,
    );
  if (!only && named.length !== 1) {
    const known =
      named.length > 0 ? named.flatMap(({ template }) => [...collectParameters(template).keys()]) : used.map(({ name }) => name);
    const what =
      named.length > 0
        ? `no template of the definition has the parameter "${parameter}"`
        : `the definition does not use the template "${prefix}"`;
    return say(['use'], `--set: ${what}`, didYouMean(named.length > 0 ? parameter : (prefix ?? ''), known));
  }
  const { name, template } = (only ?? named[0]) as UsedTemplate;
  const { values, problems } = readTemplateValues(template, [rest]);
  return problems.length > 0 ? problems : { path: ['use', name, parameter], value: values[parameter] };
}

/** Matches a text that is one variable and nothing else. */
const VARIABLE = /^\{\{\s*vars\.([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}$/;

/** The number of servers of a group: in the list of servers, or in the parameter from which a template takes it. */
function changeOfGroup(source: Source, used: readonly UsedTemplate[], text: string): Change | Problem[] | Problem {
  const say = sayIn(source);
  const [, group, digits] = /^([^=]+)=(\d{1,4})$/.exec(text) ?? [];
  if (group === undefined)
    return say([], `write GROUP=NUMBER, not "${text.slice(0, 80)}"`, 'provisioning cluster scale shop web=3');
  const own = listServers(source.value);
  const index = own.findIndex(({ name }) => name === group);
  const inTemplates = used.flatMap(({ name, template }) =>
    listServers(template.source.value).map((server) => ({ template: name, ...server })),
  );
  const below = inTemplates.findLast((one) => one.name === group);
  const stated = own[index]?.count ?? below?.count;
  if (index !== -1 && (own[index]?.count !== undefined || !below)) {
    // `count: null` removes the count of a lower layer.
    if ((own[index]?.count ?? undefined) === undefined)
      return say(
        ['servers', index],
        `the entry of the server "${group}" has no count: with one, "${group}" would be deleted with its data, and ${group}-1 would be new`,
        `add another entry to servers, such as ${group}2, and apply the file`,
      );
    const variable = VARIABLE.exec(String(stated))?.[1];
    const path =
      isRecord(source.value) && isRecord(source.value.vars) && variable !== undefined
        ? pathOfVariable(source.value.vars, variable)
        : undefined;
    return { path: path ?? ['servers', index, 'count'], value: Number(digits), group };
  }
  if (!below) {
    const known = [...own, ...inTemplates].map(({ name }) => name);
    return say(['servers'], `the definition has no servers "${group}"`, didYouMean(group, known));
  }
  const parameter = VARIABLE.exec(String(stated))?.[1];
  const template = used.find(({ name }) => name === below.template)?.template;
  if (parameter === undefined || !template?.parameters.has(parameter))
    return say(
      ['use', below.template],
      `the template ${below.template} fixes the number of servers "${group}"`,
      `provisioning cluster templates ${below.template}`,
    );
  const { values, problems } = readTemplateValues(template, [`${parameter}=${digits}`], group);
  return problems.length > 0 ? problems : { path: ['use', below.template, parameter], value: values[parameter], group };
}

const pathOfVariable = (vars: Record<string, unknown>, name: string): Path =>
  isRecord(vars[name]) ? ['vars', name, 'default'] : ['vars', name];

function listServers(value: unknown): { name: string; count: unknown }[] {
  const servers = isRecord(value) && Array.isArray(value.servers) ? value.servers : [];
  return servers.map((one) => (isRecord(one) ? { name: String(one.name), count: one.count } : { name: '', count: undefined }));
}

const sayIn =
  (source: Source) =>
  (path: Path, message: string, suggestion?: string): Problem => ({
    file: source.file,
    ...source.place(path, 'key'),
    path: pathText(path),
    message,
    ...(suggestion ? { suggestion } : {}),
  });
