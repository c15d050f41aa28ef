import type { Definition, TaskservSpec } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { loadModules } from '../../core/registry.js';
import { taskservIn } from '../../core/taskserv/instances.js';
import { registries } from '../../definition/registries/registries.js';
import type { Engine } from '../engine.js';
import { listDefinitions, readDefinition } from '../infra/entity.js';
import { APP } from './applications.js';

const isApp = ({ name }: TaskservSpec): boolean => taskservIn(name) === APP;

/**
 * The definition that is in force, with the entry that an application had when it last was of this release.
 *
 * @throws inputError `release-not-kept`
 */
export async function findFormerRelease(
  engine: Engine,
  { workspace, infra, definition: now }: { workspace: string; infra: string; definition: Definition },
  name: string,
  release: string,
): Promise<Definition> {
  const { taskservs } = await registries();
  const { app } = await loadModules(taskservs, [APP]);
  const parts = [...(app?.companions?.names ?? []), APP];
  const isOurs = (spec: TaskservSpec): boolean =>
    parts.includes(taskservIn(spec.name)) && (spec.config as { name?: unknown } | undefined)?.name === name;
  const place = { workspace, infra };
  const hashes = new Set((await listDefinitions(engine, place)).flatMap(({ hash }) => hash ?? []));
  for (const hash of hashes) {
    const former = await readDefinition(engine, place, hash);
    const entries = former?.servers.flatMap(({ taskservs }) => taskservs.filter(isOurs)) ?? [];
    const entry = entries.find(isApp);
    if (former && entry && app?.release?.(entry.config) === release) return withEntries(now, former, { isOurs, entry });
  }
  throw inputError({
    code: 'release-not-kept',
    what: 'find the definition of the release',
    on: `${name} ${release}`,
    why: 'the definition of that release is no longer stored',
    hint: `provisioning infra history ${infra}`,
  });
}

/**
 * Services that an application brings along are restored with its entry. A newer server gets the entry of another
 * server.
 */
function withEntries(
  now: Definition,
  former: Definition,
  { isOurs, entry }: { isOurs(spec: TaskservSpec): boolean; entry: TaskservSpec },
): Definition {
  const servers = now.servers.map((server) => {
    const has = server.taskservs.some((spec) => isOurs(spec) && isApp(spec));
    const before = (former.servers.find((one) => one.name === server.name)?.taskservs ?? []).filter(isOurs);
    const brought = before.filter((spec) => !isApp(spec));
    const own = has ? [before.find(isApp) ?? entry] : [];
    const at = server.taskservs.findIndex(isOurs);
    const others = server.taskservs.filter((spec) => !isOurs(spec));
    const position = at === -1 ? others.length : at;
    return { ...server, taskservs: [...others.slice(0, position), ...brought, ...own, ...others.slice(position)] };
  });
  return { ...now, servers };
}
