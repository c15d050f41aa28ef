import { compact, type Indices } from '../../core/operation/batch.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Instance } from './expand-batch.js';

export interface OrderedInstance {
  instance: Instance;
  stage: number;
  /** Places in the answer. */
  needs: Indices;
  after: Indices;
}

/** An operation by its index, or all of an entry by its name. */
type Reference = number | string;

/**
 * Brings operations into an order in which each comes after all it depends on:
 * by stage, then urgency, then place in the file. Whole entries are nodes of
 * their own, so that a thousand that need a thousand are not a million edges.
 * Reports names that nothing has, names that two have, and cycles.
 *
 * @param broken entries that could not be understood: what they are named is no mistake of those that name them
 */
export function orderBatch(
  instances: Instance[],
  groups: ReadonlyMap<string, number[]>,
  urgencyOf: (instance: Instance) => number,
  findings: Findings,
  broken: ReadonlySet<string> = new Set(),
): OrderedInstance[] {
  const edges = edgesOf(instances, groups, findings, broken);
  const stages = stagesOf(instances, edges, groups, findings);
  const urgencies = instances.map(urgencyOf);
  const order = instances
    .map((_, index) => index)
    .sort((a, b) => (stages[a] ?? 0) - (stages[b] ?? 0) || (urgencies[a] ?? 3) - (urgencies[b] ?? 3) || a - b);
  const placeOf: number[] = [];
  order.forEach((index, place) => {
    placeOf[index] = place;
  });
  const places = (list: readonly number[]) => compact(list.map((index) => placeOf[index] as number).sort((a, b) => a - b));
  const groupPlaces = new Map([...groups].map(([name, members]) => [name, places(members)]));
  const indicesOf = (references: Reference[]): Indices => [
    ...places(references.filter((one) => typeof one === 'number')),
    ...references.flatMap((one) => (typeof one === 'string' ? (groupPlaces.get(one) ?? []) : [])),
  ];
  return order.map((index) => ({
    instance: instances[index] as Instance,
    stage: stages[index] ?? 0,
    needs: indicesOf(edges[index]?.needs ?? []),
    after: indicesOf(edges[index]?.after ?? []),
  }));
}

function edgesOf(instances: Instance[], groups: ReadonlyMap<string, number[]>, findings: Findings, broken: ReadonlySet<string>) {
  const byName = new Map<string, number>();
  instances.forEach(({ name, entry }, index) => {
    const other = byName.get(name);
    const where = `the other is in operations[${instances[other ?? 0]?.entry}]`;
    if (other === undefined) byName.set(name, index);
    else findings.value(['operations', entry, 'name'], `two operations are named "${name}"`, where);
  });
  const complained = new Set<string>();
  const resolve = (field: 'needs' | 'after', { entry, needs, after }: Instance): Reference[] =>
    (field === 'needs' ? needs : after).flatMap((name, at): Reference[] => {
      const found = byName.get(name) ?? (groups.has(name) ? name : undefined);
      if (found !== undefined) return [found];
      if ([...broken].some((one) => name === one || name.startsWith(`${one}-`))) return [];
      const path = ['operations', entry, field, at];
      if (!complained.has(path.join())) {
        complained.add(path.join());
        const known = [...groups.keys(), ...[...byName.keys()].slice(0, 200)];
        findings.value(path, `there is no operation "${name}"`, didYouMean(name, known));
      }
      return [];
    });
  return instances.map((instance) => ({ needs: resolve('needs', instance), after: resolve('after', instance) }));
}

/** The length of the longest chain before each; what is on a cycle has none, and the cycle is reported. */
function stagesOf(
  instances: Instance[],
  edges: { needs: Reference[]; after: Reference[] }[],
  groups: ReadonlyMap<string, number[]>,
  findings: Findings,
): (number | undefined)[] {
  const before = (node: Reference): readonly Reference[] =>
    typeof node === 'string' ? (groups.get(node) ?? []) : [...(edges[node]?.needs ?? []), ...(edges[node]?.after ?? [])];
  const nodes: Reference[] = [...instances.keys(), ...groups.keys()];
  const dependants = new Map<Reference, Reference[]>(nodes.map((node) => [node, []]));
  const missing = new Map<Reference, number>();
  for (const node of nodes) {
    missing.set(node, before(node).length);
    for (const other of before(node)) dependants.get(other)?.push(node);
  }
  const levels = new Map<Reference, number>();
  const ready = nodes.filter((node) => missing.get(node) === 0);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    const own = levels.get(node) ?? 0;
    levels.set(node, own);
    for (const next of dependants.get(node) ?? []) {
      // A whole entry stands where the last of its operations does; who waits for it comes one stage later.
      const stage = typeof next === 'string' ? own : own + 1;
      levels.set(next, Math.max(levels.get(next) ?? 0, stage));
      const left = (missing.get(next) ?? 0) - 1;
      missing.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  const open = [...instances.keys()].filter((index) => (missing.get(index) ?? 0) > 0);
  if (open[0] !== undefined)
    reportCycle(instances, open[0], (node) => before(node).find((other) => (missing.get(other) ?? 0) > 0), findings);
  return instances.map((_, index) => ((missing.get(index) ?? 0) > 0 ? undefined : levels.get(index)));
}

function reportCycle(
  instances: Instance[],
  from: number,
  next: (node: Reference) => Reference | undefined,
  findings: Findings,
): void {
  const path: Reference[] = [];
  let at: Reference | undefined = from;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = next(at);
  }
  if (at === undefined) return;
  const cycle = path.slice(path.indexOf(at));
  const names = cycle.filter((node) => typeof node === 'number').map((index) => instances[index]?.name);
  const first = cycle.find((node) => typeof node === 'number') ?? from;
  findings.value(
    ['operations', instances[first]?.entry ?? 0],
    `these operations wait for each other: ${[...names, names[0]].join(' → ')}`,
    'remove one of the dependencies',
  );
}
