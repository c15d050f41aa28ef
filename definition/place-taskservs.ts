import type { AnyProvider } from '../core/machine/provider.js';
import type { UpdateSettings } from '../core/operation/rolling.js';
import type { Target, TaskservEntry } from '../core/schema/definition.js';
import { INSTANCE_RULE, partsOfName } from '../core/taskserv/instances.js';
import { findSecretRefs } from '../core/taskserv/secret.js';
import { explainOutOfReach, isGenerated } from '../core/taskserv/secret-reach.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';
import type { ExpandedServer } from './expanded-server.js';
import type { ExternalValue, ReferenceKinds } from './reference-kinds.js';
import { type GeneratedFor, resolveReferences } from './references.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';
import type { SalvagedDefinition } from './source/salvage.js';
import { resolveVersion } from './versions/resolve-version.js';

/** One entry of a file for a taskserv, its secrets replaced by references. */
export interface Assignment {
  taskserv: AnyTaskserv;
  path: Path;
  /** Version that the entry names, as it is written, and its meaning on any server. */
  asked?: string;
  version?: string;
  /** `version` was chosen by what is asked for. */
  chosen?: true;
  config: Record<string, unknown>;
  update?: UpdateSettings;
  moveData?: boolean;
  after?: readonly string[];
  before?: readonly string[];
  public?: Exclude<TaskservEntry, string>['public'];
  domain?: Exclude<TaskservEntry, string>['domain'];
  /** For an entry that follows from others: the place of a path of its configuration in the file. */
  configAt?(inner: Path): Path;
  /** How closely it names a server: 1 all, 2 its role, 3 itself, 4 what follows from others; undefined when it is not meant. */
  rank(server: ExpandedServer): number | undefined;
}

/** Context of placing. */
export interface Surroundings {
  workspace: string;
  /** Those that are named, and the names of all. */
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  known: readonly string[];
  secretNames: { has(name: string, infra: string): boolean };
  /** Whose credentials no definition can refer to. */
  providers: Readonly<Record<string, Pick<AnyProvider, 'variables'>>>;
  /** Kinds of references whose values lie beside the definition, and where those that are met are noted. */
  referenceKinds?: ReferenceKinds;
  given?: ExternalValue[];
}

/** Whether the file has this entry, which does not follow from others. */
export const isWritten = ({ configAt }: Pick<Assignment, 'configAt'>): boolean => configAt === undefined;

/** Place of a path of a configuration in the file. */
export const configPath = ({ path, configAt }: Pick<Assignment, 'path' | 'configAt'>, inner: Path): Path =>
  configAt?.(inner) ?? [...path, 'config', ...inner];

/** All entries for taskservs, those of single servers included; unknown names are reported. */
export function assignments(
  file: SalvagedDefinition,
  servers: ExpandedServer[],
  around: Surroundings,
  findings: Findings,
): Assignment[] {
  const made: Assignment[] = [];
  const add = (entry: TaskservEntry, path: Path, scope: string, rank: Assignment['rank']): void => {
    const {
      name,
      version,
      config,
      update,
      moveData,
      after,
      before,
      public: published,
      domain,
    } = typeof entry === 'string' ? { name: entry } : entry;
    const at = typeof entry === 'string' ? path : [...path, 'name'];
    const taskserv = Object.hasOwn(around.taskservs, name) ? around.taskservs[name] : undefined;
    if (!taskserv) {
      findings.value(at, ...unknownTaskserv(name, around.known));
      return;
    }
    const resolved = version === undefined ? undefined : resolveVersion(version, taskserv);
    if (resolved && resolved.version === undefined) findings.value([...path, 'version'], resolved.message, resolved.suggestion);
    const owner = { workspace: around.workspace, infra: file.settings.infra, scope, taskserv: name };
    made.push({
      taskserv,
      path,
      version: resolved?.version,
      ...(version !== undefined && { asked: version }),
      ...(resolved?.chosen && { chosen: true }),
      config: replaceSecrets(config ?? {}, owner, around, (inner) => configPath({ path }, inner), findings),
      update,
      moveData,
      ...(after && { after }),
      ...(before && { before }),
      public: published,
      domain,
      rank,
    });
  };

  for (const { index, entry } of file.servers) {
    const own: Assignment['rank'] = (server) => (server.index === index ? 3 : undefined);
    entry.taskservs.forEach((item, position) => {
      const withTarget = typeof item === 'string' ? item : { ...item, on: 'all' as const };
      add(withTarget, ['servers', index, 'taskservs', position], entry.name, own);
    });
  }
  for (const { index, entry } of file.taskservs) {
    const path: Path = ['taskservs', index];
    const on = typeof entry === 'string' ? 'all' : entry.on;
    const targets = Array.isArray(on) ? on : [on];
    targets.forEach((target, position) => {
      checkTarget(target, [...path, 'on', ...(Array.isArray(on) ? [position] : [])], servers, findings);
    });
    add(entry, path, targets.map(scopeOf).sort().join('_'), (server) =>
      targets.reduce<number | undefined>(
        (best, target) => Math.max(best ?? 0, rankOf(target, server) ?? 0) || undefined,
        undefined,
      ),
    );
  }
  return made;
}

/** Message and suggestion for an unknown taskserv. */
function unknownTaskserv(name: string, known: readonly string[]): [message: string, suggestion?: string] {
  const [own = name, ...instance] = name.split('@');
  if (instance.length === 0 || !known.includes(own)) return [`unknown taskserv "${name}"`, didYouMean(own, known)];
  if (partsOfName(name).instance === undefined)
    return [`the name of an instance has ${INSTANCE_RULE}, and "${instance.join('@')}" is not`, `write ${own}@shop`];
  return [`a server can have "${own}" only once`, `write ${own}`];
}

/**
 * Replaces the secrets of a configuration with references, and reports their faults. @param at place of a path in the
 * file
 */
export function replaceSecrets(
  config: Record<string, unknown>,
  owner: GeneratedFor,
  around: Surroundings,
  at: (inner: Path) => Path,
  findings: Findings,
): Record<string, unknown> {
  const { value, misuses, given } = resolveReferences(config, owner, around.referenceKinds);
  for (const misuse of misuses) findings.value(at(misuse.path), misuse.message, misuse.suggestion);
  around.given?.push(...given.map((one) => ({ ...one, path: at(one.path) })));
  const beside = new Set(given.map((one) => one.name));
  for (const secret of findSecretRefs(value).filter(({ name }) => !beside.has(name))) {
    const fault = faultOfSecret(secret.name, owner.infra, around);
    if (fault) findings.value(at(secret.path), fault.message, fault.suggestion);
  }
  return value;
}

/** Fault of a definition's reference to a secret. */
export function faultOfSecret(
  name: string,
  infra: string,
  { workspace, secretNames, providers }: Pick<Surroundings, 'workspace' | 'secretNames' | 'providers'>,
): { message: string; suggestion?: string } | undefined {
  const why = explainOutOfReach(name, { workspace, infra }, providers);
  if (why) return { message: `the secret "${name}" cannot be used here: ${why}` };
  if (isGenerated(name) || secretNames.has(name, infra)) return undefined;
  return { message: `the secret "${name}" is not set`, suggestion: `provisioning secret set ${name}` };
}

function rankOf(target: Target, { spec }: ExpandedServer): number | undefined {
  if (target === 'all') return 1;
  if ('role' in target) return target.role === spec.role ? 2 : undefined;
  return target.server === spec.name ? 3 : undefined;
}

const scopeOf = (target: Target): string => (target === 'all' ? '' : 'role' in target ? `role-${target.role}` : target.server);

function checkTarget(target: Target, path: Path, servers: ExpandedServer[], findings: Findings): void {
  if (target === 'all') return;
  if ('role' in target) {
    const roles = new Set(servers.map(({ spec }) => spec.role));
    if (!roles.has(target.role))
      findings.value([...path, 'role'], `no server has the role "${target.role}"`, didYouMean(target.role, roles));
    return;
  }
  const names = servers.map(({ spec }) => spec.name);
  if (names.includes(target.server)) return;
  const group = servers.find(({ spec }) => spec.group === target.server);
  const suggestion = group ? `for all of them write { role: ${group.spec.role} }` : didYouMean(target.server, names);
  findings.value([...path, 'server'], `no server is named "${target.server}"`, suggestion);
}
