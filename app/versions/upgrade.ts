import type { Definition, TaskservSpec } from '../../core/definition/definition.js';
import { inputError, unreachableError } from '../../core/errors.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { operationId } from '../../core/operation-id.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { VersionChange } from '../../core/versions/version-change.js';
import { registries } from '../../definition/registries/registries.js';
import {
  checkNamedVersion,
  hasVersion,
  newestWithin,
  noDefinition,
  type Present,
  refuseRelease,
  refuseWay,
} from '../../definition/versions/choose-version.js';
import { fits, rangeOf } from '../../definition/versions/resolve-version.js';
import { queryInventory } from '../infra/entity.js';
import type { Call } from '../method.js';
import { type AskedVersions, lookAtVersions } from './look-at-versions.js';
import type { ServiceVersions } from './service-versions.js';

/**
 * Target version of a taskserv. Without `to` and `within`, only its Debian packages are upgraded to their newest
 * versions.
 */
export interface UpgradeWish extends AskedVersions {
  taskserv: string;
  /** Servers by name; absent: all servers with the taskserv. */
  servers?: readonly string[] | undefined;
  /** A supported version, or a constraint that one fits. */
  to?: string | undefined;
  /** How far the newest version may be from the present one. */
  within?: VersionChange | undefined;
  /** The definition to change; absent: the one that was last applied. */
  definition?: Definition | undefined;
}

/** A service of a host, before and after. */
export interface UpgradedService {
  server: string;
  /** The version that its host runs. */
  from: string;
  /** A version, or the version of a package; absent if its host has it already. */
  to?: string;
}

export interface Upgrade {
  /** Request of the upgrade, as `plans.preview` and `plans.apply` accept it. */
  request: Omit<OperationRequest, 'actor' | 'check' | 'diff'>;
  /** The version that was chosen; absent if only packages are upgraded. */
  version?: string;
  services: UpgradedService[];
}

/**
 * Chooses the version of a taskserv by the versions on its hosts, and creates the definition with that version.
 * Changes nothing.
 *
 * @throws inputError `version-unsupported`, `version-withdrawn`, `version-older`, `version-skipped`,
 * `version-not-in-archive`, `not-installed`, `unknown-server`, `unknown-infra`; absentError `no-definition`;
 * unreachableError `host-unreachable` if a host did not answer in time
 */
export async function chooseUpgrade(call: Pick<Call, 'engine' | 'principal'>, wish: UpgradeWish): Promise<Upgrade> {
  const { workspace, infra, taskserv: name, to, within, servers } = wish;
  const inventory = await queryInventory(call.engine, { workspace, infra });
  const definition = wish.definition ?? inventory?.definition;
  if (!definition) throw noDefinition(infra);
  const known = new Set([...definition.servers.map((server) => server.name), ...Object.keys(inventory?.servers ?? {})]);
  for (const server of servers ?? []) if (!known.has(server)) throw unknownServer(server, infra);
  // Errors that need no host come before hosts are queried.
  const module = await loadModule(definition, name);
  const target = to === undefined || !module ? to : checkNamedVersion(to, module);
  if (target !== undefined && module) refuseRelease(module, target, definition, servers);
  const { services } = await lookAtVersions(call, wish);
  const looked = services.filter(({ server }) => servers?.includes(server) ?? true);
  for (const { server, why } of looked) if (why !== undefined) throw notSeen(name, server, why);
  const present = looked.map(({ server, installed, version }): Present => ({ on: server, version: installed ?? version }));
  const newest = within && module && !module.versions.releases ? newestWithin(within, module, present) : undefined;
  const version = target ?? newest;
  const change = version === undefined ? undefined : { name, version, versions: module?.versions };
  const changed = change && changeVersion(definition, change, new Set(present.map(({ on }) => on)));
  if (change && !changed) throw notThere(name, infra, present);
  if (version !== undefined && module) refuseWay(module, version, present);
  const isThere = version === undefined || present.every((one) => hasVersion(one, version));
  // A service with the newest version within reach gets its newest package.
  const byPackage = target === undefined && isThere;
  return {
    request: {
      ...{ id: operationId('taskserv', 'ensure', infra), kind: 'taskserv', workspace, infra },
      intent: { verb: 'ensure', taskservs: [name], ...(servers && { servers: [...servers] }) },
      definition: changed && !byPackage ? changed : upgradePackages(definition, looked),
    },
    ...(version !== undefined && { version }),
    services: looked.map(({ server, newer }, index) => {
      const { version: from = '' } = present[index] ?? {};
      if (byPackage) return { server, from, ...(newer && { to: newer.to }) };
      return { server, from, ...(version !== undefined && !hasVersion({ version: from }, version) && { to: version }) };
    }),
  };
}

/**
 * Loads a taskserv of the platform. Undefined for a taskserv of a workspace. Its module defines its versions and was
 * loaded with the definition, so the requested version is used as it is.
 */
async function loadModule({ servers }: Definition, name: string): Promise<AnyTaskserv | undefined> {
  if (servers.some(({ taskservs }) => taskservs.some((one) => one.name === name && one.module !== undefined))) return undefined;
  const { taskservs } = await registries();
  return Object.hasOwn(taskservs, name) ? taskservs[name]?.load() : undefined;
}

interface Change {
  name: string;
  version: string;
  versions: AnyTaskserv['versions'] | undefined;
}

/**
 * Returns the definition with another version of a taskserv on these servers; undefined if they do not have the
 * taskserv.
 */
function changeVersion(
  definition: Definition,
  { name, version, versions }: Change,
  servers: ReadonlySet<string>,
): Definition | undefined {
  const changed = structuredClone(definition);
  const specs = specsOn(changed, name, servers);
  for (const spec of specs) {
    const range = spec.constraint === undefined ? undefined : rangeOf(spec.constraint);
    const isKept = range !== undefined && fits(version, range);
    const isNamed = spec.version !== version && !isKept;
    spec.version = version;
    if (isKept) continue;
    delete spec.constraint;
    // A version that is named may come from further sources of packages, whatever the archive of the release has.
    if (spec.allowed || (isNamed && versions?.releases)) spec.allowed = [version];
  }
  return specs.length > 0 ? changed : undefined;
}

/** Returns the definition with upgrades of packages. */
function upgradePackages(definition: Definition, services: readonly ServiceVersions[]): Definition {
  const changed = structuredClone(definition);
  for (const { server, taskserv, newer } of services)
    if (newer) for (const spec of specsOn(changed, taskserv, new Set([server]))) spec.upgrade = newer;
  return changed;
}

const specsOn = ({ servers }: Definition, taskserv: string, names: ReadonlySet<string>): TaskservSpec[] =>
  servers.flatMap((server) => (names.has(server.name) ? server.taskservs.filter(({ name }) => name === taskserv) : []));

const unknownServer = (server: string, infra: string): Error =>
  inputError({ code: 'unknown-server', what: 'find the server', on: server, why: `the infra "${infra}" does not have it` });

const notThere = (taskserv: string, infra: string, present: readonly Present[]): Error =>
  inputError({
    code: 'not-installed',
    what: `upgrade ${taskserv}`,
    on: infra,
    why: present.length === 0 ? 'no existing server has it' : 'its definition no longer names it',
    hint: 'apply the definition',
  });

const notSeen = (taskserv: string, server: string, why: string): Error =>
  unreachableError({ code: 'host-unreachable', what: `look which version of ${taskserv} runs`, on: server, why });
