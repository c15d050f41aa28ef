import { type InventoryView, readInside } from '../../core/infra/inventory-view.js';
import { didYouMean } from '../source/did-you-mean.js';
import { isRecord } from '../source/salvage.js';
import { Fault, partsOf } from './expression.js';
import type { Lookup } from './names.js';

/** Inventory of another infra of the workspace, or the reason why it is unknown. */
export type OtherInfra = { view: InventoryView } | { fault: string; suggestion?: string };

/** Names of other infras in the expressions of a value. */
export function findOtherInfras(value: unknown): string[] {
  const found = new Set<string>();
  const walk = (one: unknown): void => {
    if (typeof one === 'string' && one.includes('infra.')) for (const name of namesIn(one)) found.add(name);
    else if (Array.isArray(one)) one.forEach(walk);
    else if (isRecord(one)) Object.values(one).forEach(walk);
  };
  walk(value);
  return [...found];
}

function namesIn(text: string): string[] {
  try {
    return (partsOf(text) ?? []).flatMap((part) =>
      typeof part === 'string'
        ? []
        : part.names.flatMap(({ path: [group, name, ...rest] }) => (group === 'infra' && rest.length > 0 ? [String(name)] : [])),
    );
  } catch {
    // The fault is reported when all texts are read.
    return [];
  }
}

/** Looks up `infra.OTHER`. @throws Fault if it has no value, or none yet */
export function createOtherInfraLookup(others: ReadonlyMap<string, OtherInfra>): Lookup {
  return (name, rest) => {
    const other = others.get(name);
    if (!other) throw new Fault(`there is no "infra.${name}"`, 'did you mean "infra.name"?');
    if ('fault' in other) throw new Fault(other.fault, other.suggestion);
    const path = rest.map(String);
    checkPath(other.view, path, `infra.${name}`);
    if (readInside(other.view, path) === null)
      throw new Fault(`"infra.${name}.${path.join('.')}" has no value yet`, 'apply that infra first');
    return other.view;
  };
}

/** @throws Fault where a path leads nowhere, or to something that is no one value; what is not known yet is there */
export function checkPath(view: InventoryView, path: readonly string[], root: string): void {
  let inside: unknown = view;
  let said = root;
  for (const key of path) {
    const names = isRecord(inside) ? Object.keys(inside) : [];
    const at = said === '' ? key : `${said}.${key}`;
    if (!names.includes(key))
      throw new Fault(
        said === '' ? `there is no "${key}"` : `"${said}" has no "${key}"`,
        names.length > 0 ? didYouMean(key, names) : undefined,
      );
    inside = (inside as Record<string, unknown>)[key];
    said = at;
  }
  if (isRecord(inside))
    throw new Fault(`"${said}" is not a single value`, `name one of: ${Object.keys(inside).slice(0, 10).join(', ')}`);
}
