import { REPLACE, RESERVED_NAMES } from '../../core/merge/merge.js';
import { clipText } from '../../core/text.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import type { ConfigProblem } from '../config-error.js';
import type { Key, Registry } from '../registry/registry.js';
import { misfit } from '../registry/value-types.js';
import type { Tree, Value } from './values.js';

export interface ReadTree {
  /** Valid part of the content. */
  tree: Tree;
  problems: ConfigProblem[];
}

interface Reading {
  registry: Registry;
  /** Whether keys of the engine are allowed here. */
  allowsEngine: boolean;
  say(path: readonly string[], message: string, more?: Pick<ConfigProblem, 'suggestion' | 'code'>): void;
}

/**
 * Validates the content of a layer against the registry. Invalid parts are reported and omitted, but never quoted.
 *
 * @param place returns the place of a key
 */
export function readTree(
  given: unknown,
  { registry, allowsEngine, place }: Pick<Reading, 'registry' | 'allowsEngine'> & { place: PlaceFinder },
): ReadTree {
  const problems: ConfigProblem[] = [];
  const say: Reading['say'] = (path, message, more = {}) =>
    void problems.push({ ...place(path), path: clipText(path.join('.'), 200), message, ...more });
  if (given === null || given === undefined) return { tree: {}, problems };
  if (!isMap(given)) {
    say([], 'it is not a list of "name: value"');
    return { tree: {}, problems };
  }
  return { tree: readMap(given, [], { registry, allowsEngine, say }), problems };
}

export type PlaceFinder = (path: readonly string[]) => Pick<ConfigProblem, 'file' | 'line' | 'column'>;

const isMap = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

function readMap(given: Tree, path: readonly string[], reading: Reading): Tree {
  const right: Tree = {};
  for (const [name, value] of Object.entries(given)) {
    const here = [...path, name];
    if (RESERVED_NAMES.has(name)) {
      reading.say(here, `no key may be called "${name}"`);
      continue;
    }
    const read = readEntry(value, here, reading);
    if (read !== undefined) right[name] = read;
  }
  return right;
}

/** Returns undefined for an invalid entry. */
function readEntry(value: Value, path: readonly string[], reading: Reading): Value | undefined {
  const name = path.join('.');
  const key = reading.registry.keys.get(name);
  const isGroup = reading.registry.groups.has(name);
  if (!key && !isGroup) {
    const known = [...reading.registry.keys.keys()];
    reading.say(path, `there is no setting "${clipText(name, 80)}"`, { suggestion: meant(path, known) });
    return undefined;
  }
  const replaces = isMap(value) && Object.hasOwn(value, REPLACE);
  // Removing the engine's settings is a statement about the engine too.
  if (isGroup && (value === null || replaces) && !reading.allowsEngine && holdsEngine(name, reading.registry)) {
    refuseEngine(path, reading);
    return undefined;
  }
  if (replaces) {
    if (Object.keys(value).length > 1) {
      reading.say(path, `beside "${REPLACE}" no other key is allowed`);
      return undefined;
    }
    const within = readEntry(value[REPLACE] as Value, path, reading);
    return within === undefined ? undefined : { [REPLACE]: within };
  }
  if (key) return readValue(value, path, key, reading);
  if (value === null) return value;
  if (isMap(value)) return readMap(value, path, reading);
  const within = [...reading.registry.keys.keys()].filter((one) => one.startsWith(`${name}.`));
  const names = new Set(within.map((one) => one.slice(name.length + 1).split('.')[0]));
  reading.say(path, `"${name}" is a map of settings`, { suggestion: `it has ${[...names].join(', ')}` });
  return undefined;
}

const holdsEngine = (group: string, { keys }: Registry): boolean =>
  [...keys.values()].some(({ name, scope }) => scope === 'engine' && name.startsWith(`${group}.`));

function refuseEngine(path: readonly string[], { say }: Pick<Reading, 'say'>): void {
  say(path, `"${path.join('.')}" is a setting of the machine's engine, and a workspace cannot set it`, {
    code: 'config-scope',
    suggestion: 'set it in the settings of the home: provisioning config set KEY VALUE --layer user',
  });
}

function readValue(value: Value, path: readonly string[], key: Key, { allowsEngine, say }: Reading): Value | undefined {
  if (key.scope === 'engine' && !allowsEngine) {
    refuseEngine(path, { say });
    return undefined;
  }
  if (value === null) return value;
  const why = misfit(key.type, value);
  if (why === undefined) return value;
  const isText = key.type.kind === 'text' && key.type.form === undefined;
  say(path, isText ? `"${key.name}" is not a text` : why, isText ? {} : { suggestion: hintFor(key, value) });
  return undefined;
}

const hintFor = (key: Key, value: Value): string | undefined =>
  key.type.kind === 'choice' && typeof value === 'string' && !key.sensitive ? didYouMean(value, key.type.choices) : undefined;

/** Suggests the nearest key, by its whole name or, if the map is wrong or missing, by its last word. */
function meant(path: readonly string[], known: readonly string[]): string | undefined {
  const last = path.at(-1)?.toLowerCase();
  const same = known.find((name) => name.split('.').at(-1)?.toLowerCase() === last);
  return same ? `did you mean "${same}"?` : didYouMean(path.join('.'), known);
}
