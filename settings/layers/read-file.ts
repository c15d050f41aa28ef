import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { LIMITS } from '../../core/limits.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { readText } from '../../definition/source/read-text.js';
import type { Source } from '../../definition/source/source.js';
import type { ConfigProblem } from '../config-error.js';
import type { Key, Registry } from '../registry/registry.js';
import { misfit, valueOfText } from '../registry/value-types.js';
import type { FileLayer, LayerFiles } from './layers.js';
import { type PlaceFinder, readTree } from './read-tree.js';
import type { Tree, Value } from './values.js';

/** Layer as read from its file. */
export interface LoadedLayer {
  layer: FileLayer;
  file: string;
  /** Valid part of its content. */
  tree: Tree;
  /** Reports whether the value at a path is encrypted in the file. Such values are never shown. */
  sealed?(path: readonly string[]): boolean;
  problems: ConfigProblem[];
  /** Returns the place of a key in the file. */
  place: PlaceFinder;
}

/** Reads the file of a layer; undefined without a file. Does not throw for its content. */
export async function loadLayer(files: LayerFiles, registry: Registry): Promise<LoadedLayer | undefined> {
  const { layer, candidates, former } = files;
  const there = [...candidates, ...(former === undefined ? [] : [former])].filter((path) => existsSync(path));
  const [file, other] = there;
  if (file === undefined) return undefined;
  if (other !== undefined) {
    const suggestion =
      other === former ? `move what ${former} says into ${file}, and remove it` : 'keep one of them, and remove the other';
    return failed(layer, other, `the layer ${layer} has ${file} as well`, { suggestion });
  }
  return read(file, files, registry);
}

async function read(file: string, files: LayerFiles, registry: Registry): Promise<LoadedLayer> {
  const text = await readText(file, LIMITS.settings, { within: files.folder });
  if (typeof text === 'string') return understand(file, text, files, registry);
  const { line, column, message, suggestion } = text;
  return failed(files.layer, file, message, { suggestion, ...(line > 1 ? { line, column } : {}) });
}

/** Reads a layer from the text of its file. Does not throw for its content. */
export async function understand(
  file: string,
  text: string,
  { layer, within, former, keys }: LayerFiles,
  registry: Registry,
): Promise<LoadedLayer> {
  const source = await parse(file, text);
  const [fault] = source.faults;
  if (fault) return failed(layer, file, fault.message, { line: fault.line, column: fault.column });
  const prefix = within === undefined ? [] : [within];
  const place: PlaceFinder = (path) =>
    path.length === 0 ? { file, line: 0, column: 0 } : { file, ...source.place([...prefix, ...path], 'key') };
  const encrypted = isSealed(source.value) ? (prefix.reduce(below, source.value as Value | undefined) ?? null) : undefined;
  const opened = encrypted === undefined ? { text } : await (await import('./sealed-layer.js')).unsealLayer(file, text, keys);
  if ('message' in opened) return failed(layer, file, opened.message, opened);
  // Keys have their place in the file; values have theirs in the decrypted text.
  const plain = encrypted === undefined ? source : await parse(file, opened.text);
  // The parser's message would quote decrypted values.
  if (plain.faults.length > 0 && encrypted !== undefined)
    return failed(layer, file, 'its content cannot be read', { suggestion: `provisioning secret edit ${file}` });
  const whole = plain.value as Value | undefined;
  if (file === former) return { layer, file, ...readFormer(whole, registry, place) };
  // In a file with other content, other code reports problems of the rest.
  if (within !== undefined && !isMap(whole)) return { layer, file, tree: {}, problems: [], place };
  const given = within !== undefined && isMap(whole) ? whole[within] : whole;
  return {
    layer,
    file,
    place,
    ...(encrypted !== undefined && { sealed: isSealedIn(encrypted) }),
    ...readTree(given, { registry, allowsEngine: layer === 'user', place }),
  };
}

const isMap = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reports whether SOPS wrote the content of a file. This needs none of the modules for SOPS. */
function isSealed(value: unknown): boolean {
  const sops = isMap(value) ? value.sops : undefined;
  return isMap(sops) && typeof sops.mac === 'string';
}

/** Returns the value below a key. */
const below = (value: Value | undefined, name: string): Value | undefined => (isMap(value) ? value[name] : undefined);

const isSealedIn =
  (whole: Value) =>
  (path: readonly string[]): boolean =>
    /"ENC\[AES256_GCM,/.test(JSON.stringify(path.reduce(below, whole as Value | undefined)) ?? '');

/** Loads the parser only if there is something to parse. */
async function parse(file: string, text: string): Promise<Source> {
  if (extname(file) === '.toml') return (await import('../../definition/source/read-toml.js')).readToml(file, text);
  const { readJson, readYaml } = await import('../../definition/source/source.js');
  return extname(file) === '.json' ? readJson(file, text) : readYaml(file, text);
}

function failed(
  layer: FileLayer,
  file: string,
  message: string,
  { line = 0, column = 0, suggestion }: Partial<ConfigProblem> = {},
): LoadedLayer {
  const place = () => ({ file, line, column });
  return { layer, file, tree: {}, place, problems: [{ file, line, column, path: '', message, suggestion }] };
}

/** Reads `settings.yaml`, whose keys were single words. */
function readFormer(given: unknown, registry: Registry, placed: PlaceFinder): Pick<LoadedLayer, 'tree' | 'problems' | 'place'> {
  const formers = new Map([...registry.keys.values()].flatMap((key) => (key.former ? [[key.former, key] as const] : [])));
  const place: PlaceFinder = (path) => placed([registry.keys.get(path.join('.'))?.former ?? path.join('.')]);
  const problems: ConfigProblem[] = [];
  const say = (name: string, message: string, suggestion?: string) =>
    void problems.push({ ...placed(name === '' ? [] : [name]), path: name, message, suggestion });
  const tree: Tree = {};
  if (given !== undefined && given !== null && !isMap(given)) say('', 'it is not a list of "name: value"');
  else
    for (const [name, value] of Object.entries(given ?? {})) {
      const key = formers.get(name);
      const known = [...formers.keys()];
      if (!key) say(name, `there is no setting "${name}"`, didYouMean(name, known) ?? `there are ${known.join(', ')}`);
      else if (misfit(key.type, fromFormer(key, value)) !== undefined) say(name, `"${name}" is not a text`);
      else setAt(tree, key.name.split('.'), fromFormer(key, value));
    }
  return { tree, problems, place };
}

/** Switches could be texts there. */
const fromFormer = ({ type }: Key, value: Value): Value =>
  type.kind === 'switch' && typeof value === 'string' ? (valueOfText(type, value) ?? value) : value;

/** Sets a value at a path, and creates the maps on the way. */
export function setAt(tree: Tree, path: readonly string[], value: Value): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) tree[name] = value;
  else {
    tree[name] ??= {};
    setAt(tree[name] as Tree, rest, value);
  }
}
