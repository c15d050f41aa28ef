import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { ExpandedServer } from '../expanded-server.js';
import { type Assignment, isWritten } from '../place-taskservs.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';

/** A taskserv that a server is to carry, with what entries say of it, the closest last. */
export interface WantedService {
  taskserv: AnyTaskserv;
  layers: readonly Assignment[];
  /** Place of the entry, or of the requiring entry. */
  path: Path;
  requiredBy?: string;
}

/** Lists the services of a server: those of entries, and those that they require. */
export function listWantedServices(
  server: ExpandedServer,
  all: readonly Assignment[],
  taskservs: Readonly<Record<string, AnyTaskserv>>,
  findings: Findings,
): WantedService[] {
  const ranked = new Map<AnyTaskserv, { rank: number; assignment: Assignment }[]>();
  for (const assignment of all) {
    const rank = assignment.rank(server);
    if (rank === undefined) continue;
    ranked.set(assignment.taskserv, [...(ranked.get(assignment.taskserv) ?? []), { rank, assignment }]);
  }
  const wanted = [...ranked].map(([taskserv, entries]): WantedService => {
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
    const layers = inOrder.map(({ assignment }) => assignment);
    return { taskserv, layers, path: (layers.findLast(isWritten) ?? layers.at(-1))?.path ?? [] };
  });
  addRequired(wanted, taskservs, findings);
  return wanted;
}

/** Adds what the taskservs of a server need and the file does not name, and what that needs in turn. */
function addRequired(wanted: WantedService[], taskservs: Readonly<Record<string, AnyTaskserv>>, findings: Findings): void {
  for (const { taskserv, path } of wanted) {
    for (const name of taskserv.requires ?? []) {
      if (wanted.some((other) => other.taskserv.name === name)) continue;
      const required = Object.hasOwn(taskservs, name) ? taskservs[name] : undefined;
      if (!required) findings.value(path, `"${taskserv.name}" needs the taskserv "${name}", which is not there`);
      // `wanted` grows while it is walked, so that requirements of requirements are met too
      else wanted.push({ taskserv: required, layers: [], path, requiredBy: taskserv.name });
    }
  }
}

/** Whether the entries of a service say that its data moves with it; reports one that cannot. */
export function movesData(
  { taskserv, layers }: Pick<WantedService, 'taskserv' | 'layers'>,
  held: readonly string[],
  findings: Findings,
): boolean {
  const layer = layers.findLast((one) => one.moveData !== undefined);
  if (!layer?.moveData) return false;
  const at = [...layer.path, 'moveData'];
  if (taskserv.moveData && held.length > 0) return true;
  if (held.length === 0) findings.value(at, `"${taskserv.name}" has no data here to move`, 'remove moveData');
  else
    findings.value(
      at,
      `"${taskserv.name}" cannot move its data to another server`,
      `remove moveData; back up ${held.join(', ')}, for example with restic, and restore it on the new server`,
    );
  return false;
}

/** An entry says that its taskserv is applied before or after another one. */
export interface ManualOrder {
  side: 'after' | 'before';
  /** The other taskserv; one with instances means all of them. */
  name: string;
  at: Path;
}

/** Order that an entry declares for its taskserv. */
export const orderIn = (entry: Pick<Assignment, 'path' | 'after' | 'before'>): ManualOrder[] =>
  (['after', 'before'] as const).flatMap((side) =>
    (entry[side] ?? []).map((name, index) => ({ side, name, at: [...entry.path, side, index] })),
  );
