import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { LIMITS, sizeText } from '../../core/limits.js';
import { clipText } from '../../core/text.js';
import type { EvaluationInput } from '../languages/evaluation.js';
import { readNamed } from '../languages/read-named.js';
import { didYouMean } from '../source/did-you-mean.js';
import { isInside } from '../source/is-inside.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { problemsOf, readSource, readSourceText } from '../source/read-source.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';
import { environmentFiles } from './environment.js';
import { filesBeside } from './files-in.js';
import { mergeLayered } from './layered-source.js';
import { workspaceFolder } from './workspace-folder.js';

const EXAMPLE = 'examples/quickstart.yaml is a definition to start from';

/** A definition put together from its files. */
export interface ComposedDefinition {
  source: Source;
  /** The folder of its workspace. */
  root: string;
  /** Whether that folder says that it is one. */
  isWorkspace: boolean;
  /** The file with the values of its variables in this environment. */
  values?: string;
}

/**
 * Reads a definition with its includes, and applies the changes of an environment. A file without both is returned as
 * it was read. Does not throw.
 *
 * @param folders folders beside the workspace that programs of the system may read
 * @param text text to read instead of the file's; the file need not exist
 */
export async function compose(
  path: string,
  environment?: string,
  folders?: EvaluationInput['folders'],
  text?: string,
): Promise<ComposedDefinition | Problem[]> {
  const main =
    text === undefined ? await readNamed(path, EXAMPLE, { env: environment, folders }) : await readSourceText(path, text, EXAMPLE);
  if (Array.isArray(main)) return main;
  if ('message' in main) return [main];
  const { folder: root, isMarked: isWorkspace } = await workspaceFolder(path);
  if (!isRecord(main.value)) return { source: main, root, isWorkspace };
  const files = environment === undefined ? {} : await environmentFiles(path, root, environment);
  if ('message' in files) return [files];
  const overlay =
    files.overlay === undefined ? undefined : await readSource(files.overlay, 'it may change any part of the definition', root);
  if (overlay && 'message' in overlay) return [overlay];
  const tops = overlay ? [main, overlay] : [main];
  if (!overlay && !Object.hasOwn(main.value, 'include')) return { source: main, root, isWorkspace, values: files.values };
  const reading = new Including(await realpath(root).catch(() => root));
  for (const top of tops) await reading.add(top);
  if (reading.problems.length > 0) return reading.problems;
  const source = mergeLayered(reading.layers, main);
  return Array.isArray(source)
    ? source
    : { source: { ...source, warnings: main.warnings }, root, isWorkspace, values: files.values };
}

/** Collects files with those that they include, which come before them. */
class Including {
  readonly layers: Source[] = [];
  readonly problems: Problem[] = [];
  #files = 0;
  #bytes = 0;

  constructor(private readonly root: string) {}

  async add(source: Source): Promise<void> {
    await this.#add(source, [await realpath(source.file).catch(() => resolve(source.file))]);
  }

  /** @param above the files that lead to this one, itself at the end */
  async #add(source: Source, above: readonly string[]): Promise<void> {
    this.#files += 1;
    this.#bytes += source.bytes ?? 0;
    if (!isRecord(source.value)) {
      const other: Problem = {
        file: source.file,
        ...source.place([], 'value'),
        path: '',
        message: 'a part of a definition must be a map of keys',
      };
      this.problems.push(...(source.faults.length > 0 ? problemsOf(source) : [other]));
      return;
    }
    const { include } = source.value;
    if (include !== undefined && !Array.isArray(include))
      this.#say(source, ['include'], 'expected a list of files', 'include: [common.yaml]');
    for (const [index, name] of (Array.isArray(include) ? include : []).entries()) {
      if (this.problems.length >= LIMITS.problems) return;
      const at = ['include', index];
      if (typeof name !== 'string' || name === '')
        this.#say(source, at, 'expected the name of a file', 'write its path relative to this file');
      else if (!(await this.#include(source, at, name, above))) return;
    }
    this.layers.push(source);
  }

  /** @returns whether there is room for more */
  async #include(source: Source, at: Path, name: string, above: readonly string[]): Promise<boolean> {
    const file = isAbsolute(name) ? name : join(dirname(source.file), name);
    // The path that a missing file would have.
    const real = await realpath(file).catch(() => resolve(file));
    const shownName = clipText(name, 200);
    if (!isInside(real, this.root)) {
      this.#say(source, at, `"${shownName}" is outside of ${this.root}`, 'a definition can only include files of its workspace');
    } else if (above.includes(real)) {
      const cycle = [...above.slice(above.indexOf(real)), real].map((one) => basename(one)).join(' → ');
      this.#say(source, at, `files include each other: ${cycle}`, 'take one of them out');
    } else if (this.#files >= LIMITS.includes) {
      this.#say(source, at, `with this file the definition has more than ${LIMITS.includes} files`, 'join some of them');
      return false;
    } else {
      const read = await readSource(file, 'it may hold any part of a definition', this.root);
      if ('message' in read) {
        const near = didYouMean(basename(name), await filesBeside(file));
        this.#say(source, at, `"${shownName}" cannot be read: ${read.message}`, read.suggestion ?? near);
        return true;
      }
      if (this.#bytes + (read.bytes ?? 0) > LIMITS.file) {
        this.#say(source, at, `with this file the definition has more than ${sizeText(LIMITS.file)}`, 'divide the definition');
        return false;
      }
      await this.#add(read, [...above, real]);
    }
    return true;
  }

  #say(source: Source, path: Path, message: string, suggestion?: string): void {
    const place = { file: source.file, ...source.place(path, 'value') };
    this.problems.push({ ...place, path: pathText(path), message, ...(suggestion ? { suggestion } : {}) });
  }
}
