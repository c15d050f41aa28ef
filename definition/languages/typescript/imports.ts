import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, resolve } from 'node:path';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { isInside } from '../../source/is-inside.js';
import type { Problem } from '../../source/problem.js';
import { readText } from '../../source/read-text.js';
import type { FileText } from '../../source/source.js';
import { problemIn } from '../evaluation.js';
import {
  type BundlerEnd,
  type BundlerRefusal,
  type LoadAnswer,
  PLATFORM,
  type Question,
  type ResolveAnswer,
  WORKSPACE,
} from './bundler.js';

/** Modules of the platform that a program may import. */
export interface Platform {
  /** Files, by the names that the program imports them by. */
  imports: Readonly<Record<string, string>>;
  /** The folder that all of them are in. */
  folder: string;
  /** A file that is run before the program. */
  first?: string;
}

/** How esbuild reads a file, by its ending. Others are not imported. */
const LOADERS: Readonly<Record<string, string>> = {
  ...{ '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx', '.js': 'js', '.mjs': 'js', '.cjs': 'js', '.jsx': 'jsx' },
  ...{ '.json': 'json', '.txt': 'text' },
};
/** Endings of a file that is imported without one. */
const ENDINGS = ['', '.tsx', '.ts', '.jsx', '.js', '.json'];
/** Source files of an import with the ending of its JavaScript. */
const SOURCES: Readonly<Record<string, string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** Answers what the bundler asks about imports, and notes the files that it gave away. */
export class Imports {
  /** Files of the workspace by their paths without links, the program itself among them. */
  readonly files = new Map<string, FileText>();
  /** Problem of a program that exceeds a limit. */
  over: Problem | undefined;
  #bytes = 0;
  /** Paths that were looked for: each takes a look at the disk, which no limit of the bundler counts. */
  readonly #asked = new Set<string>();

  /**
   * @param entry the program, after its links
   * @param root the folder that imports do not leave, after its links
   */
  constructor(
    private readonly program: { file: string; text: string; entry: string; root: string },
    private readonly platform: Platform,
  ) {}

  async answer(question: Question): Promise<ResolveAnswer | LoadAnswer | BundlerEnd> {
    if (this.over) return { over: true };
    const answer = await (question.ask === 'resolve' ? this.#resolve(question) : this.#load(question));
    return this.over ? { over: true } : answer;
  }

  async #resolve({ path, importer, namespace }: Extract<Question, { ask: 'resolve' }>): Promise<ResolveAnswer> {
    const { root } = this.program;
    const { imports, first } = this.platform;
    if (importer === '') return { path, namespace: path === first ? PLATFORM : WORKSPACE };
    if (namespace === PLATFORM) return { path: resolve(dirname(importer), path), namespace: PLATFORM };
    const own = Object.hasOwn(imports, path) ? imports[path] : undefined;
    if (own !== undefined) return { path: own, namespace: PLATFORM };
    const isPath = isAbsolute(path) || /^\.\.?(?:\/|$)/.test(path);
    if (!isPath) return this.#refused(`"${path}" is no file of the workspace`);
    const isOutside = `"${path}" is outside of ${root}`;
    const target = resolve(dirname(importer), path);
    // By the text already: the answer must not tell whether such a file exists.
    if (!isInside(target, root)) return this.#refused(isOutside);
    this.#asked.add(target);
    if (this.#asked.size > LIMITS.includes + LIMITS.problems) this.#tooMany();
    if (this.over) return refused(this.over.message);
    const found = await this.#find(target);
    if (found === undefined) return refused(`there is no "${path}" to import`);
    return found === 'outside' ? this.#refused(isOutside) : { path: found, namespace: WORKSPACE };
  }

  /** @returns the path without links of the first file that the name may mean */
  async #find(target: string): Promise<string | 'outside' | undefined> {
    const ending = extname(target);
    const named = [
      ...ENDINGS.map((one) => target + one),
      ...(SOURCES[ending] ?? []).map((one) => target.slice(0, -ending.length) + one),
    ];
    for (const candidate of [...named, ...ENDINGS.slice(1).map((one) => resolve(target, `index${one}`))]) {
      const real = await realpath(candidate).catch(() => undefined);
      if (real === undefined) continue;
      if (!isInside(real, this.program.root)) return 'outside';
      if (!(await stat(real).catch(() => undefined))?.isDirectory()) return real;
    }
    return undefined;
  }

  async #load({ path, namespace, type }: Extract<Question, { ask: 'load' }>): Promise<LoadAnswer> {
    const loader = type === 'text' || type === 'json' ? type : LOADERS[extname(path)];
    if (namespace === PLATFORM) {
      const text = await readText(path, Number.POSITIVE_INFINITY, { within: this.platform.folder });
      return typeof text === 'string' ? { contents: text, loader: 'js', isProgram: false } : refused(text.message);
    }
    // Files that esbuild found itself.
    if (namespace !== WORKSPACE) return this.#refused(`"${path}" was not asked for`);
    const { file, text: own, entry, root } = this.program;
    if (loader === undefined)
      return refused(
        `"${basename(path)}" is not a program, JSON or text`,
        `import a file that ends with ${Object.keys(LOADERS).join(', ')}`,
      );
    const text = path === entry ? own : await readText(path, LIMITS.file, { within: root });
    if (typeof text !== 'string') return refused(`"${basename(path)}" cannot be imported: ${text.message}`, text.suggestion);
    this.files.set(path, { file: path, text });
    this.#bytes += Buffer.byteLength(text);
    if (this.files.size > LIMITS.includes) this.#tooMany();
    if (this.#bytes > LIMITS.file)
      this.over ??= problemIn(file, `with its imports it has more than ${sizeText(LIMITS.file)}`, {}, `divide ${basename(file)}`);
    if (this.over) return refused(this.over.message);
    return { contents: text, loader, isProgram: !['json', 'text'].includes(loader) };
  }

  #tooMany(): void {
    const message = `with its imports it has more than ${LIMITS.includes} files`;
    this.over ??= problemIn(this.program.file, message, {}, 'join some of them');
  }

  #refused(text: string): BundlerRefusal {
    return refused(text, `files of its workspace can be imported, and ${Object.keys(this.platform.imports).join(', ')}`);
  }
}

const refused = (text: string, suggestion?: string): BundlerRefusal => ({
  errors: [{ text, detail: suggestion === undefined ? {} : { suggestion } }],
});
