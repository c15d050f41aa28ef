import { createRequire } from 'node:module';
import { dirname, isAbsolute, relative } from 'node:path';
import * as z from 'zod';
import { LIMITS } from '../../../core/limits.js';
import type { Problem } from '../../source/problem.js';
import type { Source } from '../../source/source.js';
import { createSource, type Program, problemIn, tooMuch } from '../evaluation.js';
import { usePrivateFolder } from '../private-folder.js';
import { type RunResult, runLimited } from '../run-limited.js';
import { type Bundle, bundle } from './bundle.js';
import { keyPlaces } from './key-places.js';
import { RUNNER, STACK_KIB } from './runner.js';
import { locateThrown } from './thrown-in.js';

/** How the runner says what came of it: data, or what was thrown, or which limit ended it. The program may forge it. */
const ANSWER = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ none: z.string() }),
  z.strictObject({ limit: z.enum(['memory', 'depth']) }),
  z.strictObject({ name: z.string(), message: z.string(), stack: z.string() }),
]);

/**
 * Evaluates the default export of a TypeScript file. esbuild bundles it. Then it runs in a process of its own, in an
 * engine with the language and nothing else. Faults of the program do not throw.
 */
export function evaluateTypescript(program: Program): Promise<Source | Problem[]> {
  return usePrivateFolder('definition', async (folder) => {
    const bundling = bundle(program, folder);
    const code = bundling.then((bundled) => (Array.isArray(bundled) ? undefined : bundled.code));
    const [bundled, ran] = await Promise.all([bundling, run(code, program.given)]);
    if (Array.isArray(bundled)) return bundled;
    const source = sourceIn(ran, program, bundled);
    if (Array.isArray(source)) return source;
    const { file, text } = program;
    const nameOf = (path: string) => (isAbsolute(file) ? path : relative('', path));
    const imported = bundled.imports.map((one) => ({ file: nameOf(one.file), text: one.text }));
    return { ...source, texts: [{ file, text }, ...imported] };
  });
}

/** Starts the process that runs a bundle while that is still being made. @param code nothing comes of it if there is no bundle */
function run(code: Promise<string | undefined>, given: Program['given']): Promise<RunResult> {
  return runLimited({
    program: process.execPath,
    args: [
      ...[PERMISSION, ...PACKAGES.map((folder) => `--allow-fs-read=${folder}/*`)],
      ...[`--stack-size=${STACK_KIB}`, '--no-warnings', '--eval', RUNNER],
      ...[CORE, ENGINE, String(MEMORY_BYTES)],
    ],
    cwd: '/',
    env: { GIVEN: JSON.stringify(given) },
    input: code,
    seconds: LIMITS.typescriptSeconds,
  });
}

function sourceIn(ran: RunResult, { file, text }: Program, { map }: Bundle): Source | Problem[] {
  const places = keyPlaces(text);
  const seconds = LIMITS.typescriptSeconds;
  if (ran.kind === 'too-much') return [tooMuch(ran, file, seconds)];
  const answer = ran.kind === 'ended' && ran.code === 0 ? read(ran.output) : undefined;
  if (!answer) return [problemIn(file, 'its evaluation ended without a result', places([], 'value'))];
  if ('none' in answer) return [problemIn(file, answer.none, places([], 'value'), 'export default defineInfra({ … })')];
  if ('value' in answer) return createSource(file, answer.value, places);
  if ('limit' in answer && answer.limit === 'depth') return [problemIn(file, 'its recursion is too deep')];
  if ('limit' in answer || isFull(answer)) return [tooMuch({ kind: 'too-much', what: 'memory' }, file, seconds)];
  return [locateThrown(file, answer, map)];
}

function read(output: string): z.infer<typeof ANSWER> | undefined {
  try {
    return ANSWER.parse(JSON.parse(output));
  } catch {
    return undefined;
  }
}

/** Whether the engine says that its memory is used up. */
const isFull = ({ name, message }: { name: string; message: string }): boolean =>
  name === 'InternalError' && message === 'out of memory';

/** The engine's part of the memory, in bytes. Node has the rest. */
const MEMORY_BYTES = LIMITS.evaluationMemory / 2;

const { resolve } = createRequire(import.meta.url);
const [CORE, ENGINE] = [resolve('quickjs-emscripten-core'), resolve('@jitl/quickjs-wasmfile-release-sync')];

/** Folders of the packages, which are all that the process may read. */
const PACKAGES = [CORE, ENGINE, createRequire(CORE).resolve('@jitl/quickjs-ffi-types')].map((file) => dirname(dirname(file)));

/** No files, programs and threads. Node has the shorter name since 23.5. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
