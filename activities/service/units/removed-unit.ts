import { topologicalOrder } from '../../../core/definition/graph.js';
import { restoreBefore } from '../../../core/host/as-before.js';
import { createBeforeFact, type FormerState } from '../../../core/host/before.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import { addInstances } from '../../../core/taskserv/instances.js';
import type { AnyTaskserv } from '../../../core/taskserv/taskserv.js';
import { isOfRecords } from '../../records/look-at-records.js';
import { findTaskserv } from '../taskserv-of.js';

/** A taskserv to remove, with the configuration of its installation. */
export interface Removal {
  taskserv: string;
  config: unknown;
  /** Content address of its code, where that is the workspace's own. */
  module?: string;
}

/** Creates the units of taskservs to remove, dependants first: the reverse of the order of installation. */
export function createRemovedUnits(taskservs: Record<string, AnyTaskserv>, removals: readonly Removal[]): AnyUnit[] {
  const rows = removals.map(({ taskserv, config, module }) => ({ config, taskserv: findTaskserv(taskservs, taskserv, module) }));
  const first = rows.flatMap(({ taskserv }) => (taskserv.first ? [taskserv.name] : []));
  const names = rows.map(({ taskserv }) => taskserv.name);
  const edges = new Map(rows.map(({ taskserv }) => [taskserv.name, addInstances(before(taskserv, first), names)]));
  const order = topologicalOrder(edges).reverse();
  const inOrder = order.flatMap((name) => rows.filter(({ taskserv }) => taskserv.name === name));
  const last = inOrder.findLast(isOnHost);
  return inOrder.map((row) => removedUnit(row, names, row === last));
}

const before = ({ requires = [], after = [], first: isFirst }: AnyTaskserv, first: readonly string[]): string[] => [
  ...requires,
  ...after,
  ...(isFirst ? [] : first),
];

/**
 * Reports whether a taskserv has anything on its host. Records of a zone are at a vendor, and are queried separately.
 */
const isOnHost = ({ taskserv, config }: Row): boolean => !isOfRecords({ unit: taskserv.name, facts: taskserv.facts(config) });

/** The fact of what the host was before; no taskserv names one so. */
const AS_IT_WAS = 'before the service came';

interface Row {
  taskserv: AnyTaskserv;
  config: unknown;
}

function removedUnit(row: Row, others: readonly string[], isLast: boolean): AnyUnit {
  const { taskserv, config } = row;
  const { name: service } = taskserv;
  const facts = taskserv.facts(config);
  return {
    unit: service,
    stage: 'remove',
    facts: isOnHost(row) ? { ...facts, [AS_IT_WAS]: createBeforeFact(service) } : facts,
    config,
    ...(taskserv.explain && { explain: taskserv.explain }),
    plan({ found, toRemove }) {
      const steps = restoreBefore(taskserv.remove(config, found), found[AS_IT_WAS] as FormerState | undefined, {
        service,
        others,
        isLast,
      });
      return { remove: true, steps: toRemove(steps), healthy: true };
    },
  };
}
