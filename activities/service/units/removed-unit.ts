import { topologicalOrder } from '../../../core/definition/graph.js';
import { asBefore } from '../../../core/host/as-before.js';
import { type Before, beforeFact } from '../../../core/host/before.js';
import type { Facts } from '../../../core/host/facts.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import { withInstances } from '../../../core/taskserv/instances.js';
import type { AnyTaskserv } from '../../../core/taskserv/taskserv.js';
import { taskservOf } from '../taskserv-of.js';

/** A taskserv that is to be taken away, with the configuration it was installed with. */
export interface Removal {
  taskserv: string;
  config: unknown;
  /** Content address of its code, where that is the workspace's own. */
  module?: string;
}

/** Taskservs that are to go, dependants first: the reverse of the order of installation. */
export function removedUnits(taskservs: Record<string, AnyTaskserv>, removals: readonly Removal[]): AnyUnit[] {
  const rows = removals.map(({ taskserv, config, module }) => ({ config, taskserv: taskservOf(taskservs, taskserv, module) }));
  const first = rows.flatMap(({ taskserv }) => (taskserv.first ? [taskserv.name] : []));
  const names = rows.map(({ taskserv }) => taskserv.name);
  const edges = new Map(rows.map(({ taskserv }) => [taskserv.name, withInstances(before(taskserv, first), names)]));
  const order = topologicalOrder(edges).reverse();
  const inOrder = order.flatMap((name) => rows.filter(({ taskserv }) => taskserv.name === name));
  return inOrder.map((row, index) => removedUnit(row, names, index === inOrder.length - 1));
}

const before = ({ requires = [], after = [], first: isFirst }: AnyTaskserv, first: readonly string[]): string[] => [
  ...requires,
  ...after,
  ...(isFirst ? [] : first),
];

/** The fact of what the host was before; no taskserv names one so. */
const BEFORE = 'before the service came';

function removedUnit(
  { taskserv, config }: { taskserv: AnyTaskserv; config: unknown },
  others: readonly string[],
  isLast: boolean,
): AnyUnit {
  const { name: service } = taskserv;
  const facts: Facts = taskserv.facts(config);
  // A unit that asks for records has nothing on its host.
  const isOfRecords = Object.values(facts).some(({ kind }) => kind === 'records');
  return {
    unit: service,
    stage: 'remove',
    facts: isOfRecords ? facts : { ...facts, [BEFORE]: beforeFact(service) },
    config,
    plan({ found, toRemove }) {
      const steps = asBefore(taskserv.remove(config, found), found[BEFORE] as Before | undefined, { service, others, isLast });
      return { remove: true, steps: toRemove(steps), healthy: true };
    },
  };
}
