import { SopsFault } from '../fault.js';
import { type Entry, entry, type MapNode, type Node } from '../tree.js';

const MAP = '__map_';
const LIST = '__list_';

/** Flattens a map to single values, whose names are their paths: `age__list_0__map_enc`. */
export function flattenMap(map: MapNode): Entry[] {
  const into = (node: Node, name: string): Entry[] => {
    if (node.kind === 'leaf') return [entry(name, node)];
    const items = node.items.filter((item) => item.kind !== 'comment');
    return items.flatMap((item, index) =>
      item.kind === 'entry' ? into(item.value, `${name}${MAP}${item.key}`) : into(item, `${name}${LIST}${index}`),
    );
  };
  return map.items.flatMap((item) => (item.kind === 'entry' ? into(item.value, item.key) : []));
}

/** Restores the map of flattened values. @throws SopsFault if their names contradict each other */
export function unflattenMap(entries: readonly Entry[]): MapNode {
  const root: MapNode = { kind: 'map', items: [] };
  for (const { key, value } of entries) {
    const path = key.split(/(?=__map_|__list_)/).map((part) => {
      if (part.startsWith(MAP)) return part.slice(MAP.length);
      return part.startsWith(LIST) ? Number(part.slice(LIST.length)) : part;
    });
    place(root, path, value);
  }
  return root;
}

function place(into: Node, [key, ...rest]: readonly (string | number)[], value: Node): void {
  const child = (): Node => (rest.length === 0 ? value : { kind: typeof rest[0] === 'number' ? 'list' : 'map', items: [] });
  if (into.kind === 'map' && typeof key === 'string') {
    const there = into.items.find((item): item is Entry => item.kind === 'entry' && item.key === key);
    const next = there?.value ?? child();
    if (!there) into.items.push(entry(key, next));
    else if (rest.length === 0) throw contradiction();
    if (rest.length > 0) place(next, rest, value);
  } else if (into.kind === 'list' && typeof key === 'number') {
    if (!(key <= into.items.length)) throw contradiction();
    const next = (into.items[key] as Node | undefined) ?? child();
    if (rest.length === 0 && into.items[key]) throw contradiction();
    into.items[key] = next;
    if (rest.length > 0) place(next, rest, value);
  } else throw contradiction();
}

const contradiction = () => new SopsFault('sops-file', 'its entries sops_… contradict each other');
