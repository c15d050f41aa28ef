import type { Definition, ServerSpec } from '../core/definition/definition.js';
import type { Recipe } from '../core/schema/recipe.js';
import { findSecretRefs } from '../core/taskserv/secret.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';
import { faultOfSecret, type Surroundings } from './place-taskservs.js';
import { changeSpec } from './public-endpoints.js';
import { resolveReferences } from './references.js';
import { checkTogether } from './services/settle-services.js';
import { didYouMean } from './source/did-you-mean.js';
import { Findings } from './source/findings.js';
import { RESERVED_NAMES } from './source/parse-yaml.js';
import { type Problem, pathText } from './source/problem.js';
import { isRecord } from './source/salvage.js';
import { complaints } from './source/schema-issues.js';
import { readYaml } from './source/source.js';

/**
 * A definition with some settings of taskservs changed, judged like a file.
 *
 * @param changes each `SERVER/TASKSERV.KEY=VALUE`; the value as YAML has it, keys of keys divided by dots
 */
export function changeDefinition(
  before: Definition,
  changes: readonly string[],
  { taskservs, secretNames, providers }: Omit<Surroundings, 'workspace' | 'known'>,
): { definition: Definition; problems: [] } | { definition?: undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const say = (path: string, message: string, suggestion?: string) =>
    problems.push({ file: '--set', line: 1, column: 1, path, message, ...(suggestion ? { suggestion } : {}) });
  const definition = structuredClone(before);
  for (const change of changes) {
    const [, server = '', taskserv = '', keys = '', value = ''] = /^([^/.=]+)\/([^/.=]+)\.([^=]+)=(.*)$/s.exec(change.trim()) ?? [];
    const place = definition.servers.find(({ name }) => name === server);
    const spec = place?.taskservs.find(({ name }) => name === taskserv);
    const judge = Object.hasOwn(taskservs, taskserv) ? taskservs[taskserv] : undefined;
    const reserved = keys.split('.').find((key) => RESERVED_NAMES.has(key));
    if (!server) say(change, 'write a change as SERVER/TASKSERV.KEY=VALUE');
    else if (reserved !== undefined) say(`${server}/${taskserv}`, `no key may be called "${reserved}"`);
    else if (!place)
      say(server, 'there is no such server', didYouMean(server, new Set(definition.servers.map(({ name }) => name))));
    else if (!spec || !judge) {
      say(
        `${server}/${taskserv}`,
        'it has no such taskserv',
        didYouMean(taskserv, new Set(place.taskservs.map(({ name }) => name))),
      );
    } else {
      const { value: given = null, faults } = readYaml('--set', value);
      if (faults[0]) {
        say(`${server}/${taskserv}.${keys}`, `the value is not understood: ${faults[0].message}`);
        continue;
      }
      const owner = { workspace: before.workspace, infra: before.infra, scope: server, taskserv };
      const { value: referring, misuses, given: noted } = resolveReferences({ [keys]: given }, owner);
      for (const { message, suggestion } of misuses) say(keys, message, suggestion);
      // Others the worker makes by their names.
      if (noted.some(({ reference }) => (reference as Recipe).generate === 'certificate'))
        say(keys, 'only a definition file can request a generated certificate', 'use --file');
      for (const { name } of findSecretRefs(referring)) {
        const fault = faultOfSecret(name, before.infra, { workspace: before.workspace, secretNames, providers });
        if (fault) say(keys, fault.message, fault.suggestion);
      }
      const config = changed(spec.config, keys.split('.'), referring[keys]);
      const result = judge.config.safeParse(config);
      if (result.success) changeSpec(place, spec, result.data, judge.endpoints?.(result.data) ?? []);
      else for (const { path, message, suggestion } of complaints(judge.config, config)) say(pathText(path), message, suggestion);
    }
  }
  for (const server of problems.length === 0 ? definition.servers : []) problems.push(...clashes(server, taskservs));
  return problems.length > 0 ? { problems } : { definition, problems: [] };
}

/** The changes that one text gives; a comma that no further change follows belongs to a value. */
export const changesIn = (text: string): string[] => text.split(/,(?=\s*[^/.=,]+\/[^/.=,]+\.[^=,]+=)/);

function changed(config: unknown, [key = '', ...rest]: string[], value: unknown): unknown {
  const record = isRecord(config) ? config : {};
  return { ...record, [key]: rest.length === 0 ? value : changed(record[key], rest, value) };
}

function clashes(server: ServerSpec, taskservs: Readonly<Record<string, AnyTaskserv>>): Problem[] {
  const findings = new Findings();
  const placed = server.taskservs.flatMap((spec) => {
    const taskserv = taskservs[spec.name];
    return taskserv ? [{ taskserv, spec, path: [] }] : [];
  });
  checkTogether({ spec: server, index: 0, path: [] }, placed, findings);
  return findings.all.map(({ message, suggestion }) => ({
    file: '--set',
    line: 1,
    column: 1,
    path: server.name,
    message,
    ...(suggestion ? { suggestion } : {}),
  }));
}
