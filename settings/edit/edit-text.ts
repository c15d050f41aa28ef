import { extname } from 'node:path';
import type { Tree, Value } from '../layers/values.js';

/**
 * Returns the text of a file with another value at a path. With undefined, the value and all maps that become empty are
 * removed. Comments and order stay.
 *
 * @param text text that could be parsed
 */
export async function editValue(file: string, text: string, path: readonly string[], value: Value | undefined): Promise<string> {
  if (extname(file) === '.json') return inJson(text, path, value);
  return extname(file) === '.toml' ? inToml(text, path, value) : inYaml(text, path, value);
}

/** Returns the text of a file with only these values. */
export async function treeText(ending: string, tree: Tree): Promise<string> {
  if (ending === '.json') return `${JSON.stringify(tree, null, 2)}\n`;
  if (ending === '.toml') return (await import('@decimalturn/toml-patch')).stringify(tree);
  return (await import('yaml')).stringify(tree, { lineWidth: 0 });
}

async function inYaml(text: string, path: readonly string[], value: Value | undefined): Promise<string> {
  const { isMap, parseDocument } = await import('yaml');
  const document = parseDocument(text);
  if (document.contents === null) document.contents = document.createNode({}) as never;
  const parents = path.slice(0, -1).map((_, index) => path.slice(0, index + 1));
  if (value === undefined) {
    if (document.hasIn(path)) document.deleteIn(path);
    for (const parent of parents.reverse()) {
      const node = document.getIn(parent, true);
      if (isMap(node) && node.items.length === 0) document.deleteIn(parent);
    }
  } else {
    for (const parent of parents) {
      if (!isMap(document.getIn(parent, true))) document.setIn(parent, document.createNode({}));
    }
    document.setIn(path, typeof value === 'object' && value !== null ? document.createNode(value) : value);
  }
  return isMap(document.contents) && document.contents.items.length === 0 && !hasComment(text)
    ? ''
    : document.toString({ lineWidth: 0 });
}

const hasComment = (text: string): boolean => /^\s*#/m.test(text);

function inJson(text: string, path: readonly string[], value: Value | undefined): string {
  const tree = (text.trim() === '' ? {} : JSON.parse(text)) as Tree;
  changeAt(tree, path, value);
  return `${JSON.stringify(tree, null, 2)}\n`;
}

async function inToml(text: string, path: readonly string[], value: Value | undefined): Promise<string> {
  const { parse, patch } = await import('@decimalturn/toml-patch');
  const tree = parse(text) as Tree;
  changeAt(tree, path, value);
  return patch(text, tree);
}

function changeAt(tree: Tree, [name = '', ...rest]: readonly string[], value: Value | undefined): void {
  if (rest.length === 0) {
    if (value === undefined) delete tree[name];
    else tree[name] = value;
    return;
  }
  const within = Object.hasOwn(tree, name) ? tree[name] : undefined;
  const map: Tree = typeof within === 'object' && within !== null && !Array.isArray(within) ? within : {};
  changeAt(map, rest, value);
  if (Object.keys(map).length > 0) tree[name] = map;
  else delete tree[name];
}
