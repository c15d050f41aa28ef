import type { TaskservSpec } from '../../core/definition/definition.js';
import { CycleError, topologicalOrder } from '../../core/definition/graph.js';
import type { UpdateSettings } from '../../core/operation/rolling.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { ServiceDefaults } from '../defaults/service-defaults.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { LockSession } from '../lock-file/locked-version.js';
import { configPath, isWritten } from '../place-taskservs.js';
import { markPublic } from '../public-endpoints.js';
import { overlayConfig } from '../references.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { complaints } from '../source/schema-issues.js';
import { settleVersion } from '../versions/settle-version.js';
import type { ServiceReference } from './other-values.js';
import { type ManualOrder, movesData, orderIn, type WantedService } from './wanted-services.js';

/** A taskserv on a server, before and after its configuration is parsed. */
export interface PlacedService {
  taskserv: AnyTaskserv;
  spec: TaskservSpec;
  /** Place of the entry, or of the requiring entry. */
  path: Path;
  /** The entry that has, or could have, the version. Absent without an own entry. */
  versionAt?: Path;
  /** Order that its entries declare. Absent without one. */
  order?: readonly ManualOrder[];
}

/** Values of a configuration's references, and the defaults beneath the configuration. */
interface References {
  referred: readonly ServiceReference[];
  /** The server that it is on. */
  self: string;
  /** The server's release, as images are named. Undefined if only a look at the host can tell it. */
  release?: string;
  /** A reference leads nowhere, which has been told of: nothing more is said of the configuration. */
  broken: boolean;
  /** Settings of the taskserv. */
  defaults?: ServiceDefaults;
  /** Former results of constraints. */
  locking?: LockSession;
}

/** A service whose entries are laid over each other, and judged by its taskserv. */
export function parse(
  { taskserv, layers, path, requiredBy }: WantedService,
  { referred, self, release, broken, defaults, locking }: References,
  findings: Findings,
): PlacedService {
  const written = layers.reduce((under, { config }) => overlayConfig(under, config), defaults?.config ?? {});
  const versioned = layers.findLast((layer) => layer.version !== undefined) ?? layers.at(-1);
  const settled = settleVersion(
    taskserv,
    { ...versioned, at: versioned?.path ?? path },
    { server: self, release },
    findings,
    locking,
  );
  const update: UpdateSettings = Object.assign({}, ...layers.map((layer) => layer.update));
  const result = broken ? { success: false as const, data: undefined } : taskserv.config.safeParse(written);
  if (!result.success && !broken) {
    for (const complaint of complaints(taskserv.config, written)) {
      const saying = layers.findLast(({ config }) => holds(config, complaint.path));
      const setting = saying ? undefined : defaults?.from(complaint.path);
      if (setting !== undefined) {
        findings.key(path, `${taskserv.name}: ${complaint.message} (${setting})`, complaint.suggestion);
        continue;
      }
      const layer = saying ?? layers.findLast(isWritten) ?? layers.at(-1) ?? { path };
      const found = { ...complaint, path: configPath(layer, complaint.path) };
      findings.all.push(
        requiredBy ? { ...found, message: `${taskserv.name}, which "${requiredBy}" needs: ${found.message}` } : found,
      );
    }
  }
  const endpoints = result.success ? (taskserv.endpoints?.(result.data) ?? []) : [];
  const publishing = layers.findLast((layer) => layer.public !== undefined);
  const others = broken ? [] : othersAmong(referred, self, taskserv.name);
  const before = others.flatMap(({ taskserv: name }) => (name === undefined || name === taskserv.name ? [] : [name]));
  const follows = result.success ? (taskserv.follows?.(result.data) ?? []) : [];
  const held = result.success ? heldBy(taskserv, result.data) : [];
  const spec: TaskservSpec = {
    name: taskserv.name,
    ...settled,
    config: result.data,
    endpoints: publishing && result.success ? markPublic(taskserv.name, endpoints, publishing, findings) : endpoints,
    after: [...new Set([...dependenciesOf(taskserv), ...follows, ...before])],
    ...(Object.keys(update).length > 0 ? { update } : {}),
    ...(taskserv.module === undefined ? {} : { module: taskserv.module }),
    ...(taskserv.drain ? { drains: true } : {}),
    ...(result.success && taskserv.uses ? { uses: taskserv.uses(result.data) } : {}),
    ...(held.length > 0 ? { holds: [...held] } : {}),
    ...(movesData({ taskserv, layers }, held, findings) ? { moveData: true } : {}),
    ...(others.length > 0 ? { refersTo: others } : {}),
    ...(requiredBy ? { requiredBy } : {}),
  };
  const order = layers.flatMap(orderIn);
  return { taskserv, spec, path, ...(versioned && { versionAt: versioned.path }), ...(order.length > 0 && { order }) };
}

function holds(config: unknown, path: Path): boolean {
  let inside = config;
  return path.every((key) => {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, key)) return false;
    inside = (inside as Record<string | number, unknown>)[key];
    return true;
  });
}

/**
 * Referenced services without the own one, each once. A service on the own server counts, because the host must then
 * know its name.
 */
function othersAmong(referred: readonly ServiceReference[], self: string, own: string): ServiceReference[] {
  const others = referred.filter(({ server, taskserv }) => taskserv !== own || server !== self);
  return [...new Map(others.map((one) => [`${one.server}/${one.taskserv ?? ''}`, one])).values()];
}

const heldBy = ({ holds = [] }: AnyTaskserv, config: unknown): readonly string[] =>
  typeof holds === 'function' ? holds(config) : holds;

/** Names of what comes before it: what it needs, and what it follows where that is there. */
const dependenciesOf = ({ requires = [], after = [] }: AnyTaskserv): string[] => [...new Set([...requires, ...after])];

/**
 * The order in which the taskservs of the definition come, across all servers.
 * A cycle is reported with its path; then the order is that of the names.
 */
export function sortServices(placed: readonly PlacedService[], findings: Findings): string[] {
  const edges = new Map(placed.map(({ spec }) => [spec.name, spec.after]));
  try {
    return topologicalOrder(edges);
  } catch (error) {
    if (!(error instanceof CycleError)) throw error;
    const first = placed.find(({ taskserv }) => error.path.includes(taskserv.name));
    findings.value(first?.path ?? [], error.message, 'a taskserv cannot wait for itself');
    return [...edges.keys()].sort();
  }
}

/** Reports services that cannot share a server: conflicts, and two listeners on one port. */
export function checkTogether(server: ExpandedServer, placed: readonly PlacedService[], findings: Findings): void {
  const ports = new Map<string, PlacedService>();
  for (const here of placed) {
    for (const other of placed) {
      if (!here.taskserv.conflicts?.includes(other.taskserv.name)) continue;
      const pair = `"${here.taskserv.name}" and "${other.taskserv.name}"`;
      findings.value(here.path, `${pair} cannot share a server, and "${server.spec.name}" has both`);
    }
    for (const { port, protocol = 'tcp' } of here.spec.endpoints) {
      const holder = ports.get(`${protocol}/${port}`);
      if (holder && holder !== here) {
        const both = `"${holder.taskserv.name}" and "${here.taskserv.name}"`;
        findings.value(
          here.path,
          `${both} both listen on ${protocol} port ${port} of the server "${server.spec.name}"`,
          'give one of them another port',
        );
      }
      ports.set(`${protocol}/${port}`, holder ?? here);
    }
  }
}
