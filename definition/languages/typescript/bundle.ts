import { readFile, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { childEnvironment } from '../../../core/machine/child-environment.js';
import { placeAt } from '../../source/hidden.js';
import type { Problem } from '../../source/problem.js';
import { type Program, problemIn, tooMuch } from '../evaluation.js';
import { runLimited } from '../run-limited.js';

/** A program with all that it imports, as one script, and where each part of it is from. */
export interface Bundle {
  code: string;
  /** A source map, whose files are absolute. */
  map: string;
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
export async function bundle({ file, root }: Program, folder: string): Promise<Bundle | Problem[]> {
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
  if (ran.code !== 0) return errorsIn(ran.errors, file, entry);
  const { inputs } = JSON.parse(await readFile(meta, 'utf8')) as Metafile;
  const problems = await outside(inputs, { file, entry, root, sdk });
  if (problems.length > 0) return problems;
  const map = JSON.parse(await readFile(`${out}.map`, 'utf8')) as { sources: string[] };
  const sources = map.sources.map((source) => resolve(folder, source));
  return { code: await readFile(out, 'utf8'), map: JSON.stringify({ ...map, sources }) };
}

/** `✘ [ERROR] Expected ";" but found "x"`, then a line with the place. */
function errorsIn(text: string, file: string, entry: string): Problem[] {
  const found = [...text.matchAll(/\[ERROR\] (.*)\n(?:\n {4}(\S.*?):(\d+):(\d+):)?/g)];
  const problems = found.map(([, message = '', where, line, column]) => {
    const path = where === undefined ? entry : resolve(dirname(entry), where);
    const missing = /^Could not resolve "(.*)"/.exec(message)?.[1];
    const said = missing === undefined ? message : `there is no "${missing}" to import`;
    return problemIn(file, said, {
      ...(path === entry ? {} : { file: relative('', path) }),
      ...(line === undefined ? {} : { line: Number(line), column: Number(column) + 1 }),
    });
  });
  return problems.length > 0 ? problems : [problemIn(file, 'esbuild cannot read it')];
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
      const leaves = target !== own && target !== root && !target.startsWith(root.endsWith(sep) ? root : root + sep);
      if (!external && !leaves) continue;
      const text = await readFile(path, 'utf8').catch(() => '');
      const at = Math.max(text.indexOf(`'${original}'`), text.indexOf(`"${original}"`));
      const message = external ? `"${original}" is no file of the workspace` : `"${original}" is outside of ${root}`;
      const suggestion = `a definition imports files of its workspace and ${SDK} alone`;
      problems.push(problemIn(here, message, at < 0 ? {} : placeAt(text, at), suggestion));
    }
  }
  const files = Object.keys(inputs).length - 1;
  if (problems.length === 0 && files > LIMITS.includes)
    problems.push(problemIn(file, `with its imports it has more than ${LIMITS.includes} files`, {}, 'join some of them'));
  if (problems.length === 0 && bytes > LIMITS.file)
    problems.push(problemIn(file, `with its imports it has more than ${sizeText(LIMITS.file)}`, {}, `divide ${basename(file)}`));
  return problems.slice(0, LIMITS.problems);
}
