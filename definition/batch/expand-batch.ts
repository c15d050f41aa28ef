import type { Definition } from '../../core/definition/definition.js';
import { LIMITS } from '../../core/limits.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import { isPowerVerb } from '../../core/operation/power.js';
import type { BatchEntry } from '../../core/schema/batch.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';

/** An entry of a batch file with the definition that it names. */
export interface UnderstoodEntry {
  index: number;
  entry: BatchEntry;
  definition?: Definition;
}

/** One operation, placeholders filled in, dependencies by name. */
export interface Instance {
  entry: number;
  name: string;
  infra: string;
  servers?: string[];
  taskservs?: string[];
  needs: string[];
  after: string[];
  accounts: string[];
}

/** More operations than this are refused. */
export const MOST = LIMITS.operations;

/** The operations that an entry stands for. */
export function expandEntry({ index, entry, definition }: UnderstoodEntry, findings: Findings): Instance[] {
  const path: Path = ['operations', index];
  const each = eachOf(entry, definition, path, findings);
  const infra = entry.infra ?? definition?.infra;
  if (infra === undefined) {
    if (entry.file === undefined)
      findings.value(path, 'it says neither infra nor file', 'name the infra, or the file of its definition');
    return [];
  }
  const count = entry.count ?? 1;
  if (each.length * count > MOST) {
    findings.value(path, `${each.length * count} operations are more than the ${MOST} that a batch may have`);
    return [];
  }
  const { servers: named = [], taskservs: also = [], needs, after } = entry;
  const names = each.length * count * (named.length + also.length + needs.length + after.length);
  if (names > LIMITS.batchNames) {
    findings.value(path, `its lists have ${names} names, at most ${LIMITS.batchNames} are allowed`, 'name whole entries');
    return [];
  }
  checkNames(entry, definition, path, findings);
  if (entry.forEach === undefined) checkEach(entry, path, findings);
  const instances: Instance[] = [];
  for (let i = 1; i <= count; i++) {
    for (const one of each) {
      const fill = (text: string) => text.replaceAll('{i}', String(i)).replaceAll('{each}', one ?? '');
      const servers = entry.servers?.map(fill) ?? (entry.forEach === 'server' && one ? [one] : undefined);
      const taskservs = entry.taskservs?.map(fill);
      instances.push({
        entry: index,
        name: nameOf(entry, i, one),
        infra: fill(infra),
        ...(servers && { servers }),
        ...(taskservs && { taskservs }),
        needs: entry.needs.map(fill),
        after: entry.after.map(fill),
        accounts: accountsOf(definition, servers),
      });
    }
  }
  checkFilled(entry, definition, instances, path, findings);
  return instances;
}

/** `{each}` stands for nothing where there is nothing to go through. */
function checkEach(entry: BatchEntry, path: Path, findings: Findings): void {
  const hint = 'set its values with forEach';
  for (const key of ['name', 'infra'] as const)
    if (entry[key]?.includes('{each}')) findings.value([...path, key], '{each} is used without forEach', hint);
  for (const key of ['servers', 'taskservs', 'needs', 'after'] as const)
    entry[key]?.forEach((text, at) => {
      if (text.includes('{each}')) findings.value([...path, key, at], '{each} is used without forEach', hint);
    });
}

/** Names as they are once they are filled in: the first that is wrong stands for all of its place. */
function checkFilled(
  { infra, servers, taskservs, forEach }: BatchEntry,
  definition: Definition | undefined,
  instances: Instance[],
  path: Path,
  findings: Findings,
): void {
  const isFilled = (text = '') => text.includes('{') && (forEach !== undefined || !text.includes('{each}'));
  const wrong = isFilled(infra) ? instances.find((one) => !NAME.test(one.infra)) : undefined;
  if (wrong) {
    const why = `"${wrong.infra}" cannot be the name of an infra`;
    findings.value([...path, 'infra'], why, NAME_RULE);
  } else if (infra && !infra.includes('{') && infra.length > 40) findings.value([...path, 'infra'], 'at most 40 characters');
  if (!definition) return;
  const known = namesIn(definition);
  for (const [what, written] of [
    ['servers', servers],
    ['taskservs', taskservs],
  ] as const) {
    written?.forEach((text, at) => {
      if (!isFilled(text)) return;
      const name = instances.map((one) => one[what]?.[at]).find((one) => one !== undefined && !known[what].includes(one));
      if (name === undefined) return;
      findings.value([...path, what, at], `the definition has no ${what.slice(0, -1)} "${name}"`, didYouMean(name, known[what]));
    });
  }
}

function nameOf({ name, count, forEach }: BatchEntry, i: number, each: string | undefined): string {
  const numbered = count !== undefined && !name.includes('{i}') ? `${name}-{i}` : name;
  const full = forEach !== undefined && !name.includes('{each}') ? `${numbered}-{each}` : numbered;
  return full.replaceAll('{i}', String(i)).replaceAll('{each}', each ?? '');
}

/** Name by which other entries refer to all operations of an entry. */
export const groupOf = ({ name }: Pick<BatchEntry, 'name'>): string => name.replaceAll(/-?\{(i|each)\}/g, '');

function eachOf(entry: BatchEntry, definition: Definition | undefined, path: Path, findings: Findings): (string | undefined)[] {
  if (entry.forEach === undefined) return [undefined];
  if (entry.forEach !== 'server') return entry.forEach;
  if (entry.file === undefined)
    findings.value([...path, 'forEach'], 'the definition is missing whose servers are meant', 'add the file of the definition');
  return definition?.servers.map(({ name }) => name) ?? [];
}

/** A switch is for servers, each of which is named. */
function checkSwitch({ kind, do: verb, servers, forEach }: BatchEntry, path: Path, findings: Findings): void {
  if (kind !== 'server') findings.value([...path, 'do'], `"${verb}" is for servers, this is a ${kind}`, 'write kind: server');
  else if (!servers && forEach !== 'server')
    findings.value([...path, 'do'], `it does not name the servers to ${verb}`, 'name them with servers, or write forEach: server');
}

/** Names with a placeholder are looked at once they are filled in. */
function checkNames(entry: BatchEntry, definition: Definition | undefined, path: Path, findings: Findings): void {
  const { kind, servers = [], taskservs = [] } = entry;
  if (entry.do === 'apply' && kind !== 'cluster')
    findings.value([...path, 'do'], `"apply" is for a cluster, this is a ${kind}`, 'write ensure');
  if (isPowerVerb(entry.do)) checkSwitch(entry, path, findings);
  if (kind === 'cluster' && servers.length > 0)
    findings.key([...path, 'servers'], 'a cluster operation is about all servers', 'write kind: server');
  if (kind !== 'taskserv' && taskservs.length > 0)
    findings.key([...path, 'taskservs'], `a ${kind} operation names no taskservs`, 'write kind: taskserv');
  if (!definition) return;
  const known = namesIn(definition);
  for (const [what, names] of [
    ['servers', servers],
    ['taskservs', taskservs],
  ] as const) {
    names.forEach((name, at) => {
      if (name.includes('{') || known[what].includes(name)) return;
      findings.value([...path, what, at], `the definition has no ${what.slice(0, -1)} "${name}"`, didYouMean(name, known[what]));
    });
  }
}

const namesIn = ({ servers }: Definition) => ({
  servers: servers.map(({ name }) => name),
  taskservs: [...new Set(servers.flatMap((server) => server.taskservs.map(({ name }) => name)))],
});

function accountsOf(definition: Definition | undefined, servers: string[] | undefined): string[] {
  const touched = definition?.servers.filter(({ name }) => !servers || servers.includes(name)) ?? [];
  return [...new Set(touched.map(({ provider }) => provider))].sort();
}
