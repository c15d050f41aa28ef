import type { Definition, Output } from '../definition/definition.js';
import type { Inventory } from './inventory.js';
import { createView, type InventoryView, readInside } from './inventory-view.js';

/** Present value of an output. */
export interface OutputValue {
  name: string;
  description?: string;
  /** Null while something in it does not exist. */
  value?: string | number | boolean | null;
  /** Name of a secret instead of a value. */
  secret?: string;
  /** A share of a group instead of a value: it is made when a person asks for it. */
  share?: { name: string; taskserv: string; group: string };
}

/** Resolves the outputs of an applied definition, in their order. It queries nothing. */
export function resolveOutputs(
  definition: Pick<Definition, 'servers' | 'outputs'>,
  inventory: Pick<Inventory, 'servers'>,
): OutputValue[] {
  const all = Object.entries(definition.outputs ?? {});
  if (all.length === 0) return [];
  const view = createView(definition, inventory);
  return all.map(([name, output]) => {
    const { description } = output;
    const about = { name, ...(description === undefined ? {} : { description }) };
    if ('secret' in output) return { ...about, secret: output.secret };
    if ('parts' in output) return { ...about, value: valueOfParts(output.parts, view) };
    const { share, taskserv, group } = output;
    return { ...about, share: { name: share, taskserv, group } };
  });
}

type Parts = Extract<Output, { parts: unknown }>['parts'];

/** A template of only one name keeps the type of its value. */
function valueOfParts(parts: Parts, view: InventoryView): string | number | boolean | null {
  const values = parts.map((part) => (typeof part === 'object' ? readInside(view, part.of) : part));
  if (values.some((value) => value === null)) return null;
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values.join('');
}
