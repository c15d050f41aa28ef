/** Types of values in SOPS files. `null` is never encrypted; `bytes` occurs only in old files. */
export const LEAF_TYPES = ['str', 'int', 'float', 'bool', 'time', 'bytes', 'null'] as const;
export type LeafType = (typeof LEAF_TYPES)[number];

/** Value, as the bytes that are encrypted and that the checksum includes. */
export interface Leaf {
  kind: 'leaf';
  type: LeafType;
  data: Buffer;
}

/** One line of a comment, without its `#`. */
export interface Comment {
  kind: 'comment';
  text: string;
  /** The comment stands behind the value that comes next. */
  inline?: true;
}

export interface Entry {
  kind: 'entry';
  key: string;
  value: Node;
}

/** Map in the order of its file, with the comments between its entries. */
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

/** Returns the entry of a map; undefined if there is no such key. */
export const entryOf = (map: MapNode, key: string): Entry | undefined =>
  map.items.find((item): item is Entry => item.kind === 'entry' && item.key === key);

/** Sets the value of a key: in its place if it exists, otherwise at the end. */
export function put(map: MapNode, key: string, value: Node): void {
  const there = entryOf(map, key);
  if (there) there.value = value;
  else map.items.push(entry(key, value));
}

/** Returns the node at a path of keys and positions; undefined if there is no such node. */
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

/** Returns the keys and positions of a node. */
export function keysOf(node: Node | undefined): string[] {
  if (node?.kind === 'map') return node.items.flatMap((item) => (item.kind === 'entry' ? [item.key] : []));
  if (node?.kind === 'list') return node.items.filter((item) => item.kind !== 'comment').map((_, index) => String(index));
  return [];
}
