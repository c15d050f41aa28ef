import { taskservIn } from '../../core/taskserv/instances.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { FurnishedServer } from './furnished.js';
import type { PlacedService } from './settle-services.js';

/**
 * Adds the order that entries declare to the order of the taskservs. It replaces a preferred order (`after` of a
 * taskserv). It cannot replace the order of a requirement or reference: that is a cycle, which is reported. A service
 * before a taskserv also comes before the services that the taskserv adds, such as the migration of an application.
 */
export function applyManualOrder(all: readonly FurnishedServer[], findings: Findings): void {
  const placed = all.flatMap((one) => one.placed);
  const byName = new Map(placed.map((one) => [one.spec.name, one]));
  const earlier = new Map<string, Set<string>>();
  const seen = new Set<string>();
  for (const { spec, order = [] } of placed) {
    for (const { side, name, at } of order) {
      // The same entry is on many servers.
      if (seen.has(at.join('.'))) continue;
      seen.add(at.join('.'));
      const others = [...byName.keys()].filter((one) => one === name || taskservIn(one) === name);
      if (others.length === 0) findings.value(at, `no server has the taskserv "${name}"`, didYouMean(name, byName.keys()));
      if (others.includes(spec.name)) {
        findings.value(at, `"${spec.name}" cannot come ${side} itself`, 'remove it from the list');
        continue;
      }
      for (const other of others) {
        const [first, later] = side === 'before' ? [spec.name, [other, ...broughtBy(other, placed)]] : [other, [spec.name]];
        for (const one of later) earlier.set(one, (earlier.get(one) ?? new Set()).add(first));
      }
    }
  }
  for (const one of placed) {
    const { spec } = one;
    spec.after = spec.after.filter((name) => !(earlier.get(name)?.has(spec.name) && isPreference(one, name)));
    spec.after = [...new Set([...spec.after, ...(earlier.get(spec.name) ?? [])])];
  }
}

/** Names of the taskservs that a taskserv adds, without those that it requires. */
const broughtBy = (name: string, placed: readonly PlacedService[]): string[] => {
  const required = new Set(placed.flatMap(({ spec, taskserv }) => (spec.name === name ? (taskserv.requires ?? []) : [])));
  return placed.flatMap(({ spec }) => (spec.requiredBy === name && !required.has(spec.name) ? [spec.name] : []));
};

/** Whether a taskserv comes after another one by nothing but its own preference. */
function isPreference({ taskserv, spec }: PlacedService, name: string): boolean {
  if (taskserv.requires?.includes(name) || spec.refersTo?.some((one) => one.taskserv === name)) return false;
  return !(spec.config !== undefined && taskserv.follows?.(spec.config).includes(name));
}
