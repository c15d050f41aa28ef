import { parse } from 'yaml';
import type { Definition, ServerSpec } from '../core/definition.js';
import { messageOf } from '../core/errors.js';
import { findSecretRefs } from '../core/secret.js';
import type { AnyTaskserv } from '../core/taskserv.js';
import { didYouMean } from './did-you-mean.js';
import { Findings } from './findings.js';
import type { Surroundings } from './place-taskservs.js';
import { type Problem, pathText } from './problem.js';
import { withReferences } from './references.js';
import { isRecord } from './salvage.js';
import { complaints } from './schema-issues.js';
import { checkTogether } from './settle-taskservs.js';

/**
 * A definition with some settings of taskservs changed, judged like a file.
 *
 * @param changes each `SERVER/TASKSERV.KEY=VALUE`; the value as YAML has it, keys of keys divided by dots
 */
export function changeDefinition(
  before: Definition,
  changes: readonly string[],
  { taskservs, secretNames }: Omit<Surroundings, 'workspace'>,
): { definition: Definition; problems: [] } | { definition?: undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const say = (path: string, message: string, suggestion?: string) =>
    problems.push({ file: '--set', line: 1, column: 1, path, message, ...(suggestion ? { suggestion } : {}) });
  const definition = structuredClone(before);
  for (const change of changes) {
    const [, server = '', taskserv = '', keys = '', value = ''] = /^([^/.=]+)\/([^/.=]+)\.([^=]+)=(.*)$/s.exec(change.trim()) ?? [];
    const place = definition.servers.find(({ name }) => name === server);
    const spec = place?.taskservs.find(({ name }) => name === taskserv);
    const judge = taskservs[taskserv];
    if (!server) say(change, 'a change is written SERVER/TASKSERV.KEY=VALUE');
    else if (!place)
      say(server, 'there is no such server', didYouMean(server, new Set(definition.servers.map(({ name }) => name))));
    else if (!spec || !judge) {
      say(
        `${server}/${taskserv}`,
        'it has no such taskserv',
        didYouMean(taskserv, new Set(place.taskservs.map(({ name }) => name))),
      );
    } else {
      let given: unknown;
      try {
        given = parse(value);
      } catch (error) {
        say(`${server}/${taskserv}.${keys}`, `the value is not understood: ${firstLine(error)}`);
        continue;
      }
      const owner = { workspace: before.workspace, infra: before.infra, scope: server, taskserv };
      const { value: referring, misuses } = withReferences({ [keys]: given }, owner);
      for (const { message, suggestion } of misuses) say(keys, message, suggestion);
      for (const { name } of findSecretRefs(referring)) {
        if (name.startsWith('generated/') || secretNames.has(name)) continue;
        say(keys, `the secret "${name}" is not set`, `provisioning secret set ${name}`);
      }
      const config = changed(spec.config, keys.split('.'), referring[keys]);
      const result = judge.config.safeParse(config);
      if (result.success) Object.assign(spec, { config: result.data, endpoints: judge.endpoints?.(result.data) ?? [] });
      else for (const { path, message, suggestion } of complaints(judge.config, config)) say(pathText(path), message, suggestion);
    }
  }
  for (const server of problems.length === 0 ? definition.servers : []) problems.push(...clashes(server, taskservs));
  return problems.length > 0 ? { problems } : { definition, problems: [] };
}

/** Below it the parser quotes the text. */
const firstLine = (error: unknown): string => messageOf(error instanceof Error ? error.message.split('\n')[0] : error);

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
