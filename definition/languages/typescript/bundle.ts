import { readFile, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { childEnvironment } from '../../../core/machine/child-environment.js';
import { placeAt } from '../../source/hidden.js';
import { isInside } from '../../source/is-inside.js';
import type { Problem } from '../../source/problem.js';
import { type Program, problemIn, tooMuch } from '../evaluation.js';
import { runLimited } from '../run-limited.js';

/** A program with all that it imports, as one script, and where each part of it is from. */
export interface Bundle {
  code: string;
  /** A source map, whose files are absolute. */
  map: string;
  /** The files that it imports, all below the folder of the workspace. */
  imports: string[];
}

/** What esbuild says of what it read. */
interface Metafile {
  inputs: Record<string, { bytes: number; imports: { path: string; original?: string; external?: boolean }[] }>;
}

const SDK = 'provisioning/sdk';

/** What `provisioning/sdk` is to a definition: the helpers that give types return what they get. */
const SDK_TEXT = 'export const defineInfra = (infra) => infra;\nexport const defineBatch = (batch) => batch;\n';

/**
 * Makes one script of a file of TypeScript and its imports, by esbuild as a process of its own within limits. Types are
 * left out, not checked. Imports are files of the workspace and `provisioning/sdk`; what they are by their links counts.
 *
 * @param folder a private one for what is made
 */
export async function bundle({ file, text, root }: Program, folder: string): Promise<Bundle | Problem[]> {
  const entry = await realpath(file);
  const sdk = join(folder, 'provisioning-sdk.js');
  const [out, meta] = [join(folder, 'out.js'), join(folder, 'meta.json')];
  await writeFile(sdk, SDK_TEXT);
  const seconds = LIMITS.typescriptSeconds;
  const ran = await runLimited({
    program: createRequire(import.meta.url).resolve('esbuild/bin/esbuild'),
    args: [
      entry,
      ...['--bundle', '--format=iife', '--global-name=__definition', '--platform=neutral', '--target=node20'],
      ...['--packages=external', `--alias:${SDK}=${sdk}`, '--tsconfig-raw={}', '--loader:.json=json'],
      ...['--sourcemap=external', '--sources-content=false', `--outfile=${out}`, `--metafile=${meta}`],
      ...['--color=false', '--log-level=error', `--log-limit=${LIMITS.problems}`],
    ],
    cwd: dirname(entry),
    env: childEnvironment({ PATH: process.env.PATH, TMPDIR: process.env.TMPDIR }),
    seconds,
  });
  if (ran.kind === 'too-much') return [tooMuch(ran, file, seconds)];
  if (ran.kind === 'absent')
    return [problemIn(file, 'esbuild, which reads TypeScript, is not installed', {}, 'npm install esbuild')];
  if (ran.code !== 0) return errorsIn(ran.errors, { file, text, entry, root });
  const { inputs } = JSON.parse(await readFile(meta, 'utf8')) as Metafile;
  const problems = await outside(inputs, { file, entry, root, sdk });
  if (problems.length > 0) return problems;
  const map = JSON.parse(await readFile(`${out}.map`, 'utf8')) as { sources: string[] };
  const sources = map.sources.map((source) => resolve(folder, source));
  const own = await realpath(sdk);
  const imports = Object.keys(inputs)
    .map((name) => resolve(dirname(entry), name))
    .filter((path) => path !== entry && path !== own);
  return { code: await readFile(out, 'utf8'), map: JSON.stringify({ ...map, sources }), imports };
}

/** `✘ [ERROR] Expected ";" but found "x"`, then a line with the place. */
function errorsIn(
  said: string,
  { file, text, entry, root }: Pick<Program, 'file' | 'text' | 'root'> & { entry: string },
): Problem[] {
  const found = [...said.matchAll(/\[ERROR\] (.*)\n(?:\n {4}(\S.*?):(\d+):(\d+):)?/g)];
  const problems = found.map(([, message = '', where, line, column]) => {
    const path = where === undefined ? entry : resolve(dirname(entry), where);
    // What is wrong with a file outside says what is in it.
    if (path !== entry && !isInside(path, root)) return outsideProblem(file, text, importOf(path, entry, text), root);
    const missing = /^Could not resolve "(.*)"/.exec(message)?.[1];
    const told = missing === undefined ? message : `there is no "${missing}" to import`;
    return problemIn(file, told, {
      ...(path === entry ? {} : { file: relative('', path) }),
      ...(line === undefined ? {} : { line: Number(line), column: Number(column) + 1 }),
    });
  });
  return problems.length > 0 ? problems : [problemIn(file, 'esbuild cannot read it')];
}

/** How a file names another that it imports, with or without its ending; else that path. */
function importOf(path: string, importer: string, text: string): string {
  const targetOf = (name: string) => resolve(dirname(importer), name.replace(/\.m?js$/, ''));
  const names = [...text.matchAll(/['"]([^'"\n]+)['"]/g)].map(([, name = '']) => name);
  // Of a folder above and the file itself, the file.
  const [closest] = names.filter((name) => path.startsWith(targetOf(name))).sort((a, b) => targetOf(b).length - targetOf(a).length);
  return closest ?? path;
}

/** An import of a file that may not be read, with its place in the file that names it. */
function outsideProblem(file: string, text: string, name: string, root: string, why = `is outside of ${root}`): Problem {
  const at = Math.max(text.indexOf(`'${name}'`), text.indexOf(`"${name}"`));
  const suggestion = `a definition imports files of its workspace and ${SDK} alone`;
  return problemIn(file, `"${name}" ${why}`, at < 0 ? {} : placeAt(text, at), suggestion);
}

/** What is imported and may not be, and what is too much of it. */
async function outside(
  inputs: Metafile['inputs'],
  { file, entry, root, sdk }: { file: string; entry: string; root: string; sdk: string },
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const own = (await realpath(sdk).catch(() => sdk)) as string;
  let bytes = 0;
  for (const [name, input] of Object.entries(inputs)) {
    const path = resolve(dirname(entry), name);
    if (path === own) continue;
    bytes += input.bytes;
    const here = path === entry ? file : relative('', path);
    for (const { path: to, original = to, external } of input.imports) {
      const target = resolve(dirname(entry), to);
      if (!external && (target === own || isInside(target, root))) continue;
      const text = await readFile(path, 'utf8').catch(() => '');
      problems.push(outsideProblem(here, text, original, root, external ? 'is no file of the workspace' : undefined));
    }
  }
  const files = Object.keys(inputs).length - 1;
  if (problems.length === 0 && files > LIMITS.includes)
    problems.push(problemIn(file, `with its imports it has more than ${LIMITS.includes} files`, {}, 'join some of them'));
  if (problems.length === 0 && bytes > LIMITS.file)
    problems.push(problemIn(file, `with its imports it has more than ${sizeText(LIMITS.file)}`, {}, `divide ${basename(file)}`));
  return problems.slice(0, LIMITS.problems);
}
