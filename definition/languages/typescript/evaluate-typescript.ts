import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { LIMITS } from '../../../core/limits.js';
import type { Problem } from '../../source/problem.js';
import type { Source } from '../../source/source.js';
import { type Program, problemIn, sourceOf, tooMuch } from '../evaluation.js';
import { runLimited } from '../run-limited.js';
import { type Bundle, bundle } from './bundle.js';
import { keyPlaces } from './key-places.js';
import { RUNNER } from './runner.js';
import { thrownIn } from './thrown-in.js';

/** How the runner says what came of it: data, or what was thrown. */
type Answer = { value: unknown } | { none: string } | { name: string; message: string; stack: string };

/**
 * Evaluates the default export of a file of TypeScript: bundled by esbuild, then run in a process of its own in a context
 * that has the language and nothing else, and which may read no file and start no program. Throws nothing for what it says.
 */
export async function evaluateTypescript(program: Program): Promise<Source | Problem[]> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-definition-'));
  try {
    const bundled = await bundle(program, folder);
    if (Array.isArray(bundled)) return bundled;
    const source = await run(program, bundled);
    if (Array.isArray(source)) return source;
    const { file, text } = program;
    const imported = bundled.imports.map(async (path) => ({
      file: isAbsolute(file) ? path : relative('', path),
      text: await readFile(path, 'utf8'),
    }));
    return { ...source, texts: [{ file, text }, ...(await Promise.all(imported))] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run({ file, text, given }: Program, { code, map }: Bundle): Promise<Source | Problem[]> {
  const places = keyPlaces(text);
  const seconds = LIMITS.typescriptSeconds;
  const ran = await runLimited({
    program: process.execPath,
    args: [PERMISSION, `--max-old-space-size=${HEAP_MIB}`, '--eval', RUNNER],
    cwd: '/',
    env: { GIVEN: JSON.stringify(given) },
    input: code,
    seconds,
  });
  if (ran.kind === 'too-much') return [tooMuch(ran, file, seconds)];
  const answer = ran.kind === 'ended' && ran.code === 0 ? read(ran.output) : undefined;
  if (!answer) return [problemIn(file, 'evaluating it ended without an answer', places([], 'value'))];
  if ('none' in answer) return [problemIn(file, answer.none, places([], 'value'), 'export default defineInfra({ … })')];
  if ('value' in answer) return sourceOf(file, answer.value, places);
  if (/allocation failed/.test(answer.message)) return [tooMuch({ kind: 'too-much', what: 'memory' }, file, seconds)];
  return [thrownIn(file, answer, map)];
}

function read(output: string): Answer | undefined {
  try {
    return JSON.parse(output) as Answer;
  } catch {
    return undefined;
  }
}

/** Of what the limit allows, the part that is for the program's own objects, in MiB. */
const HEAP_MIB = 160;

/** No files, no programs, no threads: as Node calls it since 23.5, and before. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
