/** Thrown data of a cycle: the path, its first name repeated at the end. */
export class CycleError extends Error {
  override readonly name = 'CycleError';
  readonly path: string[];
  constructor(path: string[]) {
    super(`dependency cycle: ${path.join(' → ')}`);
    this.path = path;
  }
}

/**
 * Names in an order in which each comes after all it depends on; ties go by
 * name, so that the order is always the same.
 *
 * @param edges for each name the names it comes after; unknown names are ignored
 * @throws CycleError with the path of the cycle
 */
export function topologicalOrder(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (name: string): void => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') throw new CycleError([...path.slice(path.indexOf(name)), name]);
    state.set(name, 'open');
    path.push(name);
    for (const before of [...(edges.get(name) ?? [])].sort()) if (edges.has(before)) visit(before);
    path.pop();
    state.set(name, 'done');
    order.push(name);
  };
  for (const name of [...edges.keys()].sort()) visit(name);
  return order;
}
