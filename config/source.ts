import { isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { Path } from './problem.js';

export interface Place {
  line: number;
  column: number;
}

/** A definition file as read: its data, and where each part of it stands. */
export interface Source {
  file: string;
  /** Undefined when the text cannot be understood. */
  value: unknown;
  faults: (Place & { message: string })[];
  /** Where the key or the value at a path stands; for what is absent, the nearest thing around it. */
  place(path: Path, at: 'key' | 'value'): Place;
}

const START: Place = { line: 1, column: 1 };

const FAULTS: Record<string, string> = {
  DUPLICATE_KEY: 'this key is given twice',
  MULTIPLE_DOCS: 'a file holds one document',
};

/** Reads YAML, and JSON, which is YAML too. Reports every fault of the text; does not throw. */
export function readYaml(file: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faults = [...document.errors, ...document.warnings].map((fault) => ({
    ...placeOf(fault.pos[0]),
    message: FAULTS[fault.code] ?? fault.message.replace(/\s*\n[\s\S]*$/, ''),
  }));
  const root = document.contents as Node | null;
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const place = (path: Path, at: 'key' | 'value'): Place => {
    let node: unknown = root;
    let found = root?.range ? placeOf(root.range[0]) : START;
    path.forEach((key, depth) => {
      const last = depth === path.length - 1;
      const next = child(resolve(node), key);
      if (!next) {
        node = undefined;
        return;
      }
      const keyed = isNode(next.key) ? next.key : undefined;
      const valued = isNode(next.value) && next.value.range ? next.value : undefined;
      const shown = last && at === 'key' ? (keyed ?? valued) : (valued ?? keyed);
      if (shown?.range) found = placeOf(shown.range[0]);
      node = next.value;
    });
    return found;
  };
  const broken = document.errors.some(({ code }) => code !== 'DUPLICATE_KEY');
  return { file, value: broken ? undefined : dataOf(root, document), faults, place };
}

function child(node: unknown, key: string | number): { key?: unknown; value: unknown } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(key)];
    return value === undefined ? undefined : { value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => (isScalar(pair.key) ? String(pair.key.value) : pair.key) === String(key));
}

/** Versions are text: `version: 1.20` means 1.20, which as a number would be 1.2. */
function dataOf(root: Node | null, document: ReturnType<typeof parseDocument>): unknown {
  if (root === null) return undefined;
  const keepText = (list: unknown): void => {
    if (!isSeq(list)) return;
    for (const entry of list.items) {
      if (!isMap(entry)) continue;
      const pair = entry.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === 'version');
      if (pair && isScalar(pair.value) && typeof pair.value.value === 'number') {
        pair.value.value = pair.value.source ?? String(pair.value.value);
      }
    }
  };
  if (isMap(root)) {
    keepText(root.get('taskservs', true));
    const servers = root.get('servers', true);
    if (isSeq(servers)) for (const server of servers.items) if (isMap(server)) keepText(server.get('taskservs', true));
  }
  return document.toJS();
}
