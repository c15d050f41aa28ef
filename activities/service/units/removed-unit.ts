import { topologicalOrder } from '../../../core/definition/graph.js';
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
  return order.flatMap((name) => rows.filter(({ taskserv }) => taskserv.name === name).map(removedUnit));
}

const before = ({ requires = [], after = [], first: isFirst }: AnyTaskserv, first: readonly string[]): string[] => [
  ...requires,
  ...after,
  ...(isFirst ? [] : first),
];

function removedUnit({ taskserv, config }: { taskserv: AnyTaskserv; config: unknown }): AnyUnit {
  return {
    unit: taskserv.name,
    stage: 'remove',
    facts: taskserv.facts(config),
    config,
    plan: ({ found, toRemove }) => ({ remove: true, steps: toRemove(taskserv.remove(config, found)), healthy: true }),
  };
}
