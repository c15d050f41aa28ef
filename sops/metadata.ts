import { SopsFault } from './fault.js';
import { DEFAULT_RULE, RULES, type Rule } from './selection.js';
import { type Entry, entry, entryOf, leaf, type MapNode, type Node, put, textLeaf } from './tree.js';

/** Other services that can hold keys of a file. They are never queried. */
const SERVICES = ['kms', 'gcp_kms', 'hckms', 'azure_kv', 'hc_vault', 'pgp'] as const;
/** Version of `sops` against which the format was tested. */
const VERSION = '3.13.3';

export interface AgeEntry {
  recipient: string;
  /** The data key, encrypted for the recipient. */
  enc: string;
}

/** SOPS metadata of a file. */
export interface Metadata {
  rule: Rule;
  macOnlyEncrypted: boolean;
  mac: string;
  lastModified: string;
  age: AgeEntry[];
  /** Other services that can open the file. */
  services: string[];
  /** As written in the file. */
  tree: MapNode;
}

const bad = (why: string) => new SopsFault('sops-file', `its SOPS metadata is not valid: ${why}`);
const textAt = (map: MapNode, key: string): string | undefined => textIn(entryOf(map, key)?.value);
const textIn = (node: Node | undefined): string | undefined =>
  node?.kind === 'leaf' && node.type !== 'null' ? node.data.toString() : undefined;
const listAt = (map: MapNode, key: string): Node[] => {
  const node = entryOf(map, key)?.value;
  return node?.kind === 'list' ? node.items.filter((item): item is Node => item.kind !== 'comment') : [];
};

/** @throws SopsFault `sops-file`, and `sops-unsupported` if several key groups are required together */
export function readMetadata(tree: MapNode): Metadata {
  const rules = RULES.flatMap((name): Rule[] => {
    const text = textAt(tree, name);
    return text === undefined || text === '' ? [] : [{ name, text }];
  });
  if (rules.length > 1) throw bad(`it has both ${rules.map(({ name }) => name).join(' and ')}`);
  const mac = textAt(tree, 'mac');
  const lastModified = textAt(tree, 'lastmodified');
  if (!mac || !lastModified) throw bad(`"${mac ? 'lastmodified' : 'mac'}" is missing`);
  const groups = listAt(tree, 'key_groups').filter((group): group is MapNode => group.kind === 'map');
  const group = keyGroup(tree, groups);
  return {
    rule: rules[0] ?? DEFAULT_RULE,
    macOnlyEncrypted: textAt(tree, 'mac_only_encrypted')?.toLowerCase() === 'true',
    mac,
    lastModified,
    age: listAt(group, 'age').flatMap(ageEntry),
    services: SERVICES.filter((name) => listAt(group, name).length > 0),
    tree,
  };
}

function keyGroup(tree: MapNode, groups: readonly MapNode[]): MapNode {
  const own = ['age', ...SERVICES].some((name) => listAt(tree, name).length > 0);
  if (own || !groups[0]) return tree;
  if (groups.length === 1) return groups[0];
  throw new SopsFault(
    'sops-unsupported',
    `it needs keys from several of its ${groups.length} key groups at a time (Shamir's secret sharing)`,
    'sops itself can read it; `sops groups delete` reduces it to one group',
  );
}

function ageEntry(node: Node): AgeEntry[] {
  if (node.kind !== 'map') return [];
  const [recipient, enc] = [textAt(node, 'recipient'), textAt(node, 'enc')];
  if (!recipient || !enc) throw bad('an age recipient has no key');
  return [{ recipient, enc }];
}

/** Creates the metadata of a new file. */
export function newMetadata(rule: Rule | undefined, macOnlyEncrypted: boolean, age: readonly AgeEntry[]): MapNode {
  const entries: Entry[] = [
    entry('age', ageList(age)),
    ...(rule ? [entry(rule.name, textLeaf(rule.text))] : []),
    ...(macOnlyEncrypted ? [entry('mac_only_encrypted', leaf('bool', 'True'))] : []),
    entry('version', textLeaf(VERSION)),
  ];
  return { kind: 'map', items: entries };
}

const ageList = (age: readonly AgeEntry[]): Node => ({
  kind: 'list',
  items: age.map(({ recipient, enc }) => ({
    kind: 'map',
    items: [entry('enc', textLeaf(enc)), entry('recipient', textLeaf(recipient))],
  })),
});

/** Returns the metadata with another checksum, with keys in the order of `sops`. */
export function sealMetadata(tree: MapNode, mac: string, lastModified: string): MapNode {
  const copy: MapNode = { kind: 'map', items: [...tree.items] };
  const set = (key: string, text: string) => {
    copy.items = copy.items.map((item) => (item.kind === 'entry' && item.key === key ? entry(key, textLeaf(text)) : item));
    if (entryOf(copy, key)) return;
    const next = copy.items.findIndex((item) => item.kind === 'entry' && item.key > key);
    copy.items.splice(next === -1 ? copy.items.length : next, 0, entry(key, textLeaf(text)));
  };
  set('lastmodified', lastModified);
  set('mac', mac);
  return copy;
}

/** Returns the metadata for other age recipients. */
export function replaceAge({ tree }: Metadata, age: readonly AgeEntry[]): MapNode {
  const copy: MapNode = { kind: 'map', items: tree.items.map((item) => ({ ...item })) };
  const [group] = listAt(copy, 'key_groups');
  put(group?.kind === 'map' ? group : copy, 'age', ageList(age));
  return copy;
}
