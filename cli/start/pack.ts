import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
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
  /** Node that can use the compiled code (`thisNode`): V8 accepts only code of its own version, for its own machine. */
  node: string;
  /** Content hash of the built code that the pack belongs to (`dist/build-id`). Absent if it is not compared. */
  build?: string;
  /** Hash of its inputs. */
  of: string;
  /** Compiled code of a run is missing, because the run failed. The next build tries again. */
  isIncomplete?: true;
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

/** Version of Node, with the platform and the processor that it is made for. */
export const thisNode = (): string => `${process.version} ${process.platform} ${process.arch}`;

/**
 * Opens a pack. Returns undefined if the file does not exist, cannot be read, or is not a whole pack: the program then
 * starts from its modules.
 */
export function openPack(path: string): Pack | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const pack = readPack(file, path);
    const { file: open } = pack;
    process.once('exit', () => closeSync(open));
    return pack;
  } catch {
    if (file !== undefined) closeSync(file);
    return undefined;
  }
}

/**
 * Reads a pack from an open file.
 *
 * @param path names the file in errors
 * @throws Error if the file is not a whole pack
 */
export function readPack(file: number, path: string): Pack {
  const take = (at: number, size: number) => {
    const bytes = Buffer.allocUnsafeSlow(size);
    if (readSync(file, bytes, 0, size, at) !== size) throw new Error(`${path} is cut short`);
    return bytes;
  };
  const bytes = fstatSync(file).size;
  const digits = take(0, SIZE_DIGITS).toString('latin1');
  const size = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  // Before memory is taken for it.
  if (!(SIZE_DIGITS + size <= bytes)) throw new Error(`${path} is no pack, or is cut short`);
  const index = JSON.parse(take(SIZE_DIGITS, size).toString('latin1')) as PackIndex;
  const start = SIZE_DIGITS + size;
  const end = Object.values(index.chunks).reduce((sum, { text, code }) => sum + text + code, start);
  if (end !== bytes) throw new Error(`${path} has ${bytes} bytes instead of ${end}`);
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
