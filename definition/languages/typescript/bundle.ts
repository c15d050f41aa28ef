import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
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

/** What a program may import of the platform. */
export interface Platform {
  /** Files, by the names that the program imports them by. */
  imports: Readonly<Record<string, string>>;
  /** The folder that all of them are in. */
  folder: string;
  /** A file that is run before the program. */
  first?: string;
}

/**
 * Makes one script of a file of TypeScript and its imports, by esbuild as a process of its own within limits. Types are
 * left out, not checked. Imports are files of the workspace and of the platform; what they are by their links counts.
 *
 * @param folder a private one for what is made
 * @param platform default: what definitions import
 */
export async function bundle(
  { file, text, root }: Omit<Program, 'given'>,
  folder: string,
  platform?: Platform,
): Promise<Bundle | Problem[]> {
  const entry = await realpath(file);
  const { imports, folder: own, first } = platform ?? (await forDefinitions(folder));
  const [out, meta] = [join(folder, 'out.js'), join(folder, 'meta.json')];
  const seconds = LIMITS.typescriptSeconds;
  const ran = await runLimited({
    program: createRequire(import.meta.url).resolve('esbuild/bin/esbuild'),
    args: [
      entry,
      ...['--bundle', '--format=iife', '--global-name=__definition', '--platform=neutral', '--target=es2023'],
      ...['--packages=external', '--tsconfig-raw={}', '--loader:.json=json'],
      ...Object.entries(imports).map(([name, path]) => `--alias:${name}=${path}`),
      ...(first === undefined ? [] : [`--inject:${first}`, '--minify']),
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
  const allowed = Object.keys(imports);
  if (ran.code !== 0) return errorsIn(ran.errors, { file, text, entry, root, allowed });
  const { inputs } = JSON.parse(await readFile(meta, 'utf8')) as Metafile;
  const platformFolder = await realpath(own);
  const problems = await outside(inputs, { file, entry, root, own: platformFolder, allowed, first });
  if (problems.length > 0) return problems;
  const map = JSON.parse(await readFile(`${out}.map`, 'utf8')) as { sources: string[] };
  const sources = map.sources.map((source) => resolve(folder, source));
  const imported = Object.keys(inputs)
    .map((name) => resolve(dirname(entry), name))
    .filter((path) => path !== entry && !isInside(path, platformFolder));
  return { code: await readFile(out, 'utf8'), map: JSON.stringify({ ...map, sources }), imports: imported };
}

async function forDefinitions(folder: string): Promise<Platform> {
  const own = await mkdtemp(join(folder, 'sdk-'));
  const sdk = join(own, 'provisioning-sdk.js');
  await writeFile(sdk, SDK_TEXT);
  return { imports: { [SDK]: sdk }, folder: own };
}

/** `✘ [ERROR] Expected ";" but found "x"`, then a line with the place. */
function errorsIn(
  said: string,
  { file, text, entry, root, allowed }: Omit<Program, 'given'> & { entry: string; allowed: readonly string[] },
): Problem[] {
  const found = [...said.matchAll(/\[ERROR\] (.*)\n(?:\n {4}(\S.*?):(\d+):(\d+):)?/g)];
  const problems = found.map(([, message = '', where, line, column]) => {
    const path = where === undefined ? entry : resolve(dirname(entry), where);
    // What is wrong with a file outside says what is in it.
    if (path !== entry && !isInside(path, root)) {
      const why = `is outside of ${root}`;
      return outsideProblem(file, text, importOf(path, entry, text), { why, allowed });
    }
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
function outsideProblem(
  file: string,
  text: string,
  name: string,
  { why, allowed }: { why: string; allowed: readonly string[] },
): Problem {
  const at = Math.max(text.indexOf(`'${name}'`), text.indexOf(`"${name}"`));
  const suggestion = `files of its workspace can be imported, and ${allowed.join(', ')}`;
  return problemIn(file, `"${name}" ${why}`, at < 0 ? {} : placeAt(text, at), suggestion);
}

interface Outside {
  entry: string;
  own: string;
  allowed: readonly string[];
  first?: string;
}

/** What is imported and may not be, and what is too much of it. */
async function outside(
  inputs: Metafile['inputs'],
  { file, entry, root, own, allowed, first }: Omit<Program, 'text' | 'given'> & Outside,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  let bytes = 0;
  for (const [name, input] of Object.entries(inputs)) {
    const path = resolve(dirname(entry), name);
    if (isInside(path, own)) continue;
    bytes += input.bytes;
    const here = path === entry ? file : relative('', path);
    for (const { path: to, original = to, external } of input.imports) {
      const target = resolve(dirname(entry), to);
      // All files are said to import it, as one from elsewhere.
      if (target === first) continue;
      if (!external && (isInside(target, own) || isInside(target, root))) continue;
      const text = await readFile(path, 'utf8').catch(() => '');
      const why = external ? 'is no file of the workspace' : `is outside of ${root}`;
      problems.push(outsideProblem(here, text, original, { why, allowed }));
    }
  }
  const files = Object.keys(inputs).filter((name) => !isInside(resolve(dirname(entry), name), own)).length;
  if (problems.length === 0 && files > LIMITS.includes)
    problems.push(problemIn(file, `with its imports it has more than ${LIMITS.includes} files`, {}, 'join some of them'));
  if (problems.length === 0 && bytes > LIMITS.file)
    problems.push(problemIn(file, `with its imports it has more than ${sizeText(LIMITS.file)}`, {}, `divide ${basename(file)}`));
  return problems.slice(0, LIMITS.problems);
}
