/** The types of values that SOPS files tell apart; `null` is never encrypted, and `bytes` come from old files alone. */
export const LEAF_TYPES = ['str', 'int', 'float', 'bool', 'time', 'bytes', 'null'] as const;
export type LeafType = (typeof LEAF_TYPES)[number];

/** A value, as the bytes that are encrypted and that the checksum of the file goes over. */
export interface Leaf {
  kind: 'leaf';
  type: LeafType;
  data: Buffer;
}

/** One line of a comment without its `#`. */
export interface Comment {
  kind: 'comment';
  text: string;
  /** It stands behind the value that comes next. */
  inline?: true;
}

export interface Entry {
  kind: 'entry';
  key: string;
  value: Node;
}

/** A map in the order of its file, with the comments between its entries. */
export interface MapNode {
  kind: 'map';
  items: (Entry | Comment)[];
}

export interface ListNode {
  kind: 'list';
  items: (Node | Comment)[];
}

export type Node = Leaf | MapNode | ListNode;

export const leaf = (type: LeafType, text: string): Leaf => ({ kind: 'leaf', type, data: Buffer.from(text) });
export const textLeaf = (text: string): Leaf => leaf('str', text);
export const entry = (key: string, value: Node): Entry => ({ kind: 'entry', key, value });

/** The entry of a map; undefined where it has none. */
export const entryOf = (map: MapNode, key: string): Entry | undefined =>
  map.items.find((item): item is Entry => item.kind === 'entry' && item.key === key);

/** Puts a value at a key: in its place where there is one, else at the end. */
export function put(map: MapNode, key: string, value: Node): void {
  const there = entryOf(map, key);
  if (there) there.value = value;
  else map.items.push(entry(key, value));
}

/** What stands at a path of keys and positions; undefined where nothing does. */
export function nodeAt(root: Node, path: readonly string[]): Node | undefined {
  let here: Node | undefined = root;
  for (const key of path) {
    if (here?.kind === 'map') here = entryOf(here, key)?.value;
    else if (here?.kind === 'list') here = here.items.filter((item): item is Node => item.kind !== 'comment')[positionOf(key)];
    else return undefined;
  }
  return here;
}

const positionOf = (key: string): number => (/^\d+$/.test(key) ? Number(key) : Number.NaN);

/** The keys and positions that can be named at a node. */
export function keysOf(node: Node | undefined): string[] {
  if (node?.kind === 'map') return node.items.flatMap((item) => (item.kind === 'entry' ? [item.key] : []));
  if (node?.kind === 'list') return node.items.filter((item) => item.kind !== 'comment').map((_, index) => String(index));
  return [];
}
