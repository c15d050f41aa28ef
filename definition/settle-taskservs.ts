import type { TaskservSpec } from '../core/definition/definition.js';
import { CycleError, topologicalOrder } from '../core/definition/graph.js';
import type { UpdateSettings } from '../core/operation/rolling.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';
import type { ExpandedServer } from './expand-servers.js';
import type { PerServer } from './interpolation/interpolate.js';
import type { Assignment } from './place-taskservs.js';
import { published } from './public-endpoints.js';
import { laidOver } from './references.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';
import { complaints } from './source/schema-issues.js';

/** A taskserv on a server, before and after its configuration is parsed. */
export interface Placed {
  taskserv: AnyTaskserv;
  spec: TaskservSpec;
  /** Where the file puts it there, or what needs it. */
  path: Path;
}

/** What each server carries: entries laid over each other, requirements added. */
export function settle(
  server: ExpandedServer,
  all: readonly Assignment[],
  { taskservs, perServer }: { taskservs: Readonly<Record<string, AnyTaskserv>>; perServer: PerServer },
  findings: Findings,
): Placed[] {
  const ranked = new Map<AnyTaskserv, { rank: number; assignment: Assignment }[]>();
  for (const assignment of all) {
    const rank = assignment.rank(server);
    if (rank === undefined) continue;
    ranked.set(assignment.taskserv, [...(ranked.get(assignment.taskserv) ?? []), { rank, assignment }]);
  }
  const placed = [...ranked].map(([taskserv, entries]) => {
    const inOrder = entries.sort((a, b) => a.rank - b.rank);
    inOrder.forEach((entry, index) => {
      const twin = inOrder[index - 1];
      if (twin?.rank !== entry.rank) return;
      findings.value(
        entry.assignment.path,
        `"${taskserv.name}" is given twice for the server "${server.spec.name}"`,
        'join the two entries',
      );
    });
    const layers = inOrder.map(({ assignment }) => ({ ...assignment, config: perServer(assignment.config, server.spec) }));
    return parse(taskserv, layers, layers.at(-1)?.path ?? [], findings);
  });
  addRequired(placed, taskservs, findings);
  return placed;
}

/** @param path where to say what is wrong when no entry says it */
function parse(taskserv: AnyTaskserv, layers: Assignment[], path: Path, findings: Findings, requiredBy?: string): Placed {
  const written = layers.reduce<Record<string, unknown>>((under, { config }) => laidOver(under, config), {});
  const version = layers.findLast((layer) => layer.version !== undefined)?.version ?? taskserv.versions.default;
  const update: UpdateSettings = Object.assign({}, ...layers.map((layer) => layer.update));
  const result = taskserv.config.safeParse(written);
  if (!result.success) {
    for (const complaint of complaints(taskserv.config, written)) {
      const layer = layers.findLast(({ config }) => holds(config, complaint.path)) ?? layers.at(-1);
      const found = { ...complaint, path: [...(layer?.path ?? path), 'config', ...complaint.path] };
      findings.all.push(
        requiredBy ? { ...found, message: `${taskserv.name}, which "${requiredBy}" needs: ${found.message}` } : found,
      );
    }
  }
  const endpoints = result.success ? (taskserv.endpoints?.(result.data) ?? []) : [];
  const publishing = layers.findLast((layer) => layer.public !== undefined);
  const spec: TaskservSpec = {
    name: taskserv.name,
    version,
    config: result.data,
    endpoints: publishing && result.success ? published(taskserv.name, endpoints, publishing, findings) : endpoints,
    after: dependenciesOf(taskserv),
    ...(Object.keys(update).length > 0 ? { update } : {}),
    ...(taskserv.drain ? { drains: true } : {}),
    ...(result.success && taskserv.uses ? { uses: taskserv.uses(result.data) } : {}),
    ...(requiredBy ? { requiredBy } : {}),
  };
  return { taskserv, spec, path };
}

function holds(config: unknown, path: Path): boolean {
  let inside = config;
  return path.every((key) => {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, key)) return false;
    inside = (inside as Record<string | number, unknown>)[key];
    return true;
  });
}

/** Adds what the taskservs of a server need and the file does not name, and what that needs in turn. */
function addRequired(placed: Placed[], taskservs: Readonly<Record<string, AnyTaskserv>>, findings: Findings): void {
  for (const { taskserv, path } of placed) {
    for (const name of taskserv.requires ?? []) {
      if (placed.some((other) => other.taskserv.name === name)) continue;
      const required = Object.hasOwn(taskservs, name) ? taskservs[name] : undefined;
      if (!required) findings.value(path, `"${taskserv.name}" needs the taskserv "${name}", which is not there`);
      // `placed` grows while it is walked, so that requirements of requirements are met too
      else placed.push(parse(required, [], path, findings, taskserv.name));
    }
  }
}

/** Names of what comes before it: what it needs, and what it follows where that is there. */
const dependenciesOf = ({ requires = [], after = [] }: AnyTaskserv): string[] => [...new Set([...requires, ...after])];

/**
 * The order in which the taskservs of the definition come, across all servers.
 * A cycle is reported with its path; then the order is that of the names.
 */
export function orderOf(placed: readonly Placed[], findings: Findings): string[] {
  const edges = new Map(placed.map(({ taskserv }) => [taskserv.name, dependenciesOf(taskserv)]));
  try {
    return topologicalOrder(edges);
  } catch (error) {
    if (!(error instanceof CycleError)) throw error;
    const first = placed.find(({ taskserv }) => error.path.includes(taskserv.name));
    findings.value(first?.path ?? [], error.message, 'a taskserv cannot wait for itself');
    return [...edges.keys()].sort();
  }
}

/** What cannot be together on a server: conflicts, and two listeners on one port. */
export function checkTogether(server: ExpandedServer, placed: readonly Placed[], findings: Findings): void {
  const ports = new Map<string, Placed>();
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
