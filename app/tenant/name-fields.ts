import type * as z from 'zod';
import type { AnyMethod } from '../method.js';

/** Kind of an input field whose value is different inside the platform. */
export type NameRole = 'workspace' | 'id' | 'secret' | 'definition';

export interface NameField {
  /** Keys from the input on; `*` is every item of a list, or every value of a map. */
  path: readonly string[];
  role: NameRole;
}

/** Fields with ids of operations and batches. */
const IDS: ReadonlySet<string> = new Set([
  'as',
  'batch',
  'id',
  'of',
  'operation',
  'request.batch.id',
  'request.id',
  'request.intent.of',
]);

const found = new WeakMap<AnyMethod, readonly NameField[]>();

/** The fields of a method's input that have names of workspaces, or ids and names that contain them, by its schema. */
export function findNameFields(method: AnyMethod): readonly NameField[] {
  const known = found.get(method);
  if (known) return known;
  const fields = new Map<string, NameField>();
  const ofSecrets = method.name.startsWith('secrets.');
  for (const path of listPaths(method.input)) {
    const key = path.at(-1) ?? '';
    const text = path.join('.');
    const role = roleOf({ key, text, parent: path.at(-2), ofSecrets });
    if (role) fields.set(text, { path, role });
  }
  found.set(method, [...fields.values()]);
  return found.get(method) as readonly NameField[];
}

function roleOf({ key, text, parent, ofSecrets }: { key: string; text: string; parent?: string | undefined; ofSecrets: boolean }) {
  if (key === 'workspace') return 'workspace';
  if (IDS.has(text)) return 'id';
  // The content address of a definition is no definition.
  if ((key === 'definition' && parent !== 'bundle') || (key === '*' && parent === 'definitions')) return 'definition';
  return ofSecrets && key === 'name' && parent !== 'recipe' && parent !== 'filter' ? 'secret' : undefined;
}

/** The paths of all fields that a schema declares. */
export function listPaths(schema: z.ZodType): string[][] {
  const paths: string[][] = [];
  const walk = (node: unknown, path: string[], above: ReadonlySet<unknown>): void => {
    const def = (node as { _zod?: { def: Record<string, unknown> } } | undefined)?._zod?.def;
    if (!def || above.has(node)) return;
    const within = new Set(above).add(node);
    const into = (next: unknown, ...keys: string[]) => {
      const at = [...path, ...keys];
      if (keys.length > 0) paths.push(at);
      walk(next, at, within);
    };
    if (def.type === 'object') for (const [key, value] of Object.entries(def.shape as object)) into(value, key);
    else if (def.type === 'array') into(def.element, '*');
    else if (def.type === 'record') into(def.valueType, '*');
    else if (def.type === 'union') for (const option of def.options as unknown[]) into(option);
    else if (def.type === 'lazy') into((def.getter as () => unknown)());
    else if (def.type === 'intersection') for (const side of [def.left, def.right]) into(side);
    else if (def.type === 'tuple') for (const item of def.items as unknown[]) into(item, '*');
    else into(def.innerType ?? def.in);
  };
  walk(schema, [], new Set());
  return paths;
}
