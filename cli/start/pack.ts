import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** Position of a chunk in a pack, in bytes from the end of the index: its text, followed by V8's compiled code. */
export interface Place {
  at: number;
  text: number;
  code: number;
}

export interface PackIndex {
  /** Version of Node that can use the compiled code: V8 accepts only code of its own version. */
  node: string;
  /** Hash of its inputs. */
  of: string;
  chunks: Record<string, Place>;
}

/** Number of digits before the index that give its size in bytes. */
export const SIZE_DIGITS = 12;

/** Program with its compiled code in a single file, so that both always belong to the same build. */
export interface Pack {
  index: PackIndex;
  /** Descriptor of the open file. The threads of a process share it. */
  file: number;
  read(name: string): { text: string; code?: Buffer };
}

export const thisNode = (): string => `${process.version} ${process.arch}`;

/** Opens a pack. Returns undefined if the file does not exist. */
export function openPack(path: string): Pack | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  process.once('exit', () => closeSync(file));
  return readPack(file, path);
}

/**
 * Reads a pack from an open file.
 *
 * @param path names the file in errors
 */
export function readPack(file: number, path: string): Pack {
  const take = (at: number, size: number) => {
    const bytes = Buffer.allocUnsafeSlow(size);
    if (readSync(file, bytes, 0, size, at) !== size) throw new Error(`${path} is cut short`);
    return bytes;
  };
  const size = Number(take(0, SIZE_DIGITS).toString('latin1'));
  const index = JSON.parse(take(SIZE_DIGITS, size).toString('latin1')) as PackIndex;
  const start = SIZE_DIGITS + size;
  return {
    index,
    file,
    read(name) {
      const place = index.chunks[name];
      if (!place) throw new Error(`${path} has no ${name}`);
      const both = take(start + place.at, place.text + place.code);
      // All of it is ASCII, as esbuild writes it.
      const text = both.toString('latin1', 0, place.text);
      return place.code > 0 ? { text, code: both.subarray(place.text) } : { text };
    },
  };
}

type Load = (require: (name: string) => unknown, module: { exports: unknown }, exports: unknown, url: string) => void;

/** Wraps the text of a chunk. */
const wrapped = (text: string): string => `(function(require,module,exports,__url){${text}\n})`;

/** Separates a package from the package that it is a dependency of, in the name of an external module. */
export const OWNER_MARK = '>';

/**
 * Loads modules that are in no pack. `a>b` is the module `b` as the package `a` finds it.
 *
 * @param program the file from which packages are resolved
 */
function loadOutside(program: string): (name: string) => unknown {
  const outside = createRequire(program);
  return (name) => {
    const owners = name.split(OWNER_MARK);
    const last = owners.pop() ?? '';
    return owners.reduce((from, owner) => createRequire(from.resolve(owner)), outside)(last);
  };
}

/**
 * Returns a stand-in for the exports of a package, which loads it when the first of them is used.
 *
 * @param load returns the exports, which must be an object
 */
function loadLate(load: () => object): object {
  let loaded: object | undefined;
  const exports = () => {
    loaded ??= load();
    return loaded;
  };
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(exports(), key),
      has: (_, key) => Reflect.has(exports(), key),
      ownKeys: () => Reflect.ownKeys(exports()),
      // A proxy may only show properties as fixed that its own object has.
      getOwnPropertyDescriptor(_, key) {
        const own = Reflect.getOwnPropertyDescriptor(exports(), key);
        return own && { ...own, configurable: true };
      },
    },
  );
}

/**
 * Packages that the command line loads when it first uses them: Temporal's. They take half of the time of a command that
 * finds no worker, and most of those commands end without them.
 */
export const isLate = (name: string): boolean => name.startsWith('@temporalio/');

/**
 * Runs a chunk and its imports.
 *
 * @param program the file from which packages are resolved; its folder has the chunks
 * @param options `entry` is the first chunk, by default the name of the program; `replaced` has chunks of modules that
 * are loaded by their paths, and other values of modules by their names; `late` names packages that are loaded when they
 * are first used
 * @returns the scripts; more are added as they are loaded
 */
export function runPack(
  pack: Pack,
  program: string,
  {
    entry = basename(program),
    replaced = {},
    late = () => false,
  }: {
    entry?: string;
    replaced?: Record<string, { chunk: string } | { value: unknown }>;
    late?(name: string): boolean;
  } = {},
): Map<string, Script> {
  const scripts = new Map<string, Script>();
  const modules = new Map<string, { exports: unknown }>();
  const outside = loadOutside(program);
  const stands = new Map<string, object>();
  const standIn = (name: string): object => {
    const made = stands.get(name) ?? loadLate(() => outside(name) as object);
    stands.set(name, made);
    return made;
  };
  const require = (name: string): unknown => {
    if (name.startsWith('.')) return load(basename(name));
    const other = replaced[name];
    if (other === undefined) return late(name) ? standIn(name) : outside(name);
    return 'chunk' in other ? load(other.chunk) : other.value;
  };
  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const { text, code } = pack.read(name);
    const filename = name === basename(program) ? program : `${dirname(program)}/chunks/${name}`;
    const script = new Script(wrapped(text), { filename, ...(code && { cachedData: code }) });
    scripts.set(name, script);
    const module = { exports: {} };
    modules.set(name, module);
    (script.runInThisContext() as Load)(require, module, module.exports, pathToFileURL(filename).href);
    return module.exports;
  }
  load(entry);
  return scripts;
}
