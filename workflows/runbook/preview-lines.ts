import type { DecidedService } from '../../activities/service/decide.js';
import type { RanOnHost, ReportedGroup } from '../../core/host/ran-command.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { DataChange, PlannedStep } from '../../core/plan/planned-step.js';
import { listUnwanted, planMoves } from '../moves/moves.js';
import type { AnyPhase } from '../operation/operation.js';
import type { ServerDecision } from './server-decision.js';

/** The commands of the definition that were run to see how the hosts are. */
export const listRanOnHosts = (decisions: readonly ServerDecision[]): RanOnHost[] =>
  decisions.flatMap(({ server, services }) => services.flatMap(({ ran = [] }) => ran.map((one) => ({ on: server, ...one }))));

/** The groups of services as they were seen, each once: by the look that saw most of its members. */
export function listSeenGroups(decisions: readonly ServerDecision[]): ReportedGroup[] {
  const groups = new Map<string, ReportedGroup>();
  const countSeen = ({ members }: ReportedGroup) => members.filter(({ state }) => state === 'seen').length;
  for (const { taskserv, group } of decisions.flatMap(({ services }) => services)) {
    // Of a first install nothing is seen.
    if (!group || group.members.every(({ state }) => state === 'expected')) continue;
    const key = `${taskserv}/${group.name}`;
    const [known, seen] = [groups.get(key), { taskserv, ...group }];
    if (!known || countSeen(known) < countSeen(seen)) groups.set(key, seen);
  }
  return [...groups.values()];
}

/** The lines of the preview that concern services. */
export function previewServices(decisions: ServerDecision[]): PlannedStep[] {
  const told = new Set<string>();
  return decisions.flatMap(({ server, expected, services }) =>
    services.flatMap((service) => {
      const { taskserv, steps, changes, repairs } = service;
      return [
        ...previewShares(service, told),
        ...steps.map(
          (step, index): PlannedStep => ({
            ...{ on: server, taskserv, title: step.title, step, ...changes?.[index] },
            ...(expected ? { expected } : {}),
            ...(repairs?.includes(index) ? { repair: true } : {}),
          }),
        ),
      ];
    }),
  );
}

/** Lines about the shares that steps need, each once in a group: it is made for the first of them. */
function previewShares({ taskserv, standing, shares = [] }: DecidedService, told: Set<string>): PlannedStep[] {
  return shares.flatMap(({ name, title, on }): PlannedStep[] => {
    const key = `${taskserv}/${standing?.group}/${name}`;
    if (told.has(key)) return [];
    told.add(key);
    return [{ on, taskserv, title, change: 'change' }];
  });
}

/**
 * Adds data changes to the lines of the preview: on the first line of each service that begins without its former
 * data, or that is removed. A service that begins on another server without its data counts as destructive, because
 * its clients lose the data.
 */
export function addDataMoves({ inventory }: AnyPhase, work: WorkScope, machines: MachinePlan, lines: PlannedStep[]): PlannedStep[] {
  const changes = dataChanges(inventory, work, machines);
  if (changes.size === 0) return lines;
  return lines.map((line) => {
    const key = `${line.on}/${line.taskserv}`;
    const data = changes.get(key);
    if (!data) return line;
    changes.delete(key);
    return { ...line, data, ...(data.is === 'begins' && { destructive: true }) };
  });
}

function dataChanges(inventory: Inventory, work: WorkScope, { servers }: MachinePlan): Map<string, DataChange> {
  const made = new Set(servers.flatMap(({ server, action }) => (action === 'create' || action === 'replace' ? [server] : [])));
  const moving = new Map(planMoves(work, inventory).map(({ spec, from, to }) => [`${to}/${spec.name}`, from]));
  const changes = new Map<string, DataChange>();
  for (const { server, taskservs } of work.ensureServices) {
    for (const { name, holds } of taskservs) {
      if (!holds) continue;
      const paths = holds;
      const from = moving.get(`${server.name}/${name}`);
      if (from !== undefined) {
        changes.set(`${server.name}/${name}`, { is: 'moves', paths, leftOn: [from] });
        continue;
      }
      const known = inventory.servers[server.name]?.services[name] !== undefined;
      if (known && made.has(server.name)) changes.set(`${server.name}/${name}`, { is: 'lost', paths });
      if (known) continue;
      const leftOn = listUnwanted(work, inventory, name);
      if (leftOn.length > 0) changes.set(`${server.name}/${name}`, { is: 'begins', paths, leftOn });
    }
  }
  for (const { server, taskserv } of work.removeServices) {
    const written = inventory.definition?.servers.find(({ name }) => name === server.name);
    const paths = written?.taskservs.find(({ name }) => name === taskserv)?.holds;
    if (paths) changes.set(`${server.name}/${taskserv}`, { is: 'stays', paths });
  }
  return changes;
}

/**
 * How many steps a member of a group, or a service of a new machine, has more than were planned for it. The plan was what
 * was expected then: a member that joins may have other steps than one that founds, and at a first install none has founded
 * the group when it is planned. Lines that are on its server for the sake of another one are not its own.
 */
export function countUnplanned(
  plan: readonly PlannedStep[],
  { server, taskserv }: { server: string; taskserv: string },
  { steps, isMember }: { steps: number; isMember: boolean },
): number {
  const lines = plan.filter((line) => line.on === server && line.taskserv === taskserv && line.step && line.for === undefined);
  return isMember || lines.some(({ expected }) => expected) ? Math.max(0, steps - lines.length) : 0;
}

/** Whether the plan has a line for one of the shares that steps need. */
export const plansShare = (plan: readonly PlannedStep[], { taskserv, shares = [] }: Pick<DecidedService, 'taskserv' | 'shares'>) =>
  plan.some((line) => line.taskserv === taskserv && !line.step && shares.some(({ title }) => title === line.title));
