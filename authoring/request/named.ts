import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import type { Context } from '../context.js';

interface Subject {
  infra: string;
  definition?: Definition;
}

interface Known {
  servers: { name: string; group: string }[];
  taskservs: Set<string>;
}

/** Returns the names that a user may give: those in the definition and those of existing resources. */
async function known(context: Context, { infra, definition }: Subject): Promise<Known> {
  const inventory = await (await context.client()).infras.inventory({ workspace: context.workspace, infra });
  const wanted = (definition ?? inventory?.definition)?.servers ?? [];
  const existing = Object.values(inventory?.servers ?? {});
  return {
    servers: [...wanted, ...existing.map(({ name, spec }) => ({ name, group: spec.group }))],
    taskservs: new Set([
      ...wanted.flatMap(({ taskservs }) => taskservs.map(({ name }) => name)),
      ...existing.flatMap(({ services }) => Object.keys(services)),
    ]),
  };
}

/**
 * Resolves the names of servers and taskservs. A server name with a count means all of its servers. Returns undefined
 * if no names were given, which means all.
 *
 * @throws an input error for a name that neither the definition nor the inventory has
 */
export async function selectNamed(
  context: Context,
  subject: Subject,
  names: { servers?: readonly string[]; taskservs?: readonly string[] },
): Promise<{ servers?: string[]; taskservs?: string[] }> {
  const { servers = [], taskservs = [] } = names;
  if (servers.length + taskservs.length === 0) return {};
  const all = await known(context, subject);
  const chosen = servers.flatMap((name) => {
    if (all.servers.some((server) => server.name === name)) return [name];
    const group = all.servers.filter((server) => server.group === name).map((server) => server.name);
    if (group.length > 0) return group;
    throw unknown('server', name, subject.infra, new Set(all.servers.map((server) => server.name)));
  });
  for (const name of taskservs) if (!all.taskservs.has(name)) throw unknown('taskserv', name, subject.infra, all.taskservs);
  return {
    ...(chosen.length > 0 ? { servers: [...new Set(chosen)] } : {}),
    ...(taskservs.length > 0 ? { taskservs: [...new Set(taskservs)] } : {}),
  };
}

function unknown(kind: 'server' | 'taskserv', name: string, infra: string, names: ReadonlySet<string>): Error {
  return inputError({
    code: `unknown-${kind}`,
    what: `find the ${kind}`,
    on: name,
    why: `the infra "${infra}" does not have it`,
    hint: didYouMean(name, names),
  });
}

/**
 * Splits lists: `a, b c` given as `['a, b', 'c']` yields three names. A Nushell list, `['[a', 'b', 'c]']`, does too.
 */
export const splitList = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim().replace(/^\[|\]$/g, ''))
    .filter((text) => text !== '');
