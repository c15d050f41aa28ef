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

/** A layer as its file says it. */
export interface LoadedLayer {
  layer: FileLayer;
  file: string;
  /** What is right of it. */
  tree: Tree;
  /** Whether what stands at a path is encrypted in the file: such values are shown nowhere. */
  sealed?(path: readonly string[]): boolean;
  problems: ConfigProblem[];
  /** Where the key at a path stands. */
  place: PlaceFinder;
}

/** Reads the file of a layer. Undefined where there is none. Does not throw for what the file says. */
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

/** What a layer says whose file has this text. Does not throw for what it says. */
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
  // Names stand in the file as they are, and values in what was decrypted.
  const plain = encrypted === undefined ? source : await parse(file, opened.text);
  // What is wrong with it would quote what it holds.
  if (plain.faults.length > 0 && encrypted !== undefined)
    return failed(layer, file, 'its content cannot be read', { suggestion: `provisioning secret edit ${file}` });
  const whole = plain.value as Value | undefined;
  if (file === former) return { layer, file, ...readFormer(whole, registry, place) };
  // Of a file that is about more than settings, others say what is wrong with the rest.
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

/** Whether what a file says was written by SOPS; that is told before anything of it is loaded. */
function isSealed(value: unknown): boolean {
  const sops = isMap(value) ? value.sops : undefined;
  return isMap(sops) && typeof sops.mac === 'string';
}

/** What stands below a name. */
const below = (value: Value | undefined, name: string): Value | undefined => (isMap(value) ? value[name] : undefined);

const isSealedIn =
  (whole: Value) =>
  (path: readonly string[]): boolean =>
    /"ENC\[AES256_GCM,/.test(JSON.stringify(path.reduce(below, whole as Value | undefined)) ?? '');

/** The parser is loaded where there is something to parse, and only then. */
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

/** `settings.yaml`, whose names were one word each. */
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

/** Puts a value at a path, and makes the maps on the way. */
export function setAt(tree: Tree, path: readonly string[], value: Value): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) tree[name] = value;
  else {
    tree[name] ??= {};
    setAt(tree[name] as Tree, rest, value);
  }
}
