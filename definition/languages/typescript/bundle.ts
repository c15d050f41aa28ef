import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { join, relative } from 'node:path';
import { LIMITS } from '../../../core/limits.js';
import { childEnvironment } from '../../../core/machine/child-environment.js';
import type { Problem } from '../../source/problem.js';
import type { FileText, Place } from '../../source/source.js';
import { type Program, problemIn, tooMuch } from '../evaluation.js';
import { runLimited } from '../run-limited.js';
import { BUNDLER, type BundleResult, type Message, NO_REQUIRE, type Question, WORKSPACE } from './bundler.js';
import { Imports, type Platform } from './imports.js';

export type { Platform } from './imports.js';

/** A program with all that it imports, as one script, and where each part of it is from. */
export interface Bundle {
  code: string;
  /** A source map, whose files are absolute. */
  map: string;
  /** The files that it imports, all below the folder of the workspace, as they were read for it. */
  imports: FileText[];
}

const SDK = 'provisioning/sdk';

/** The module `provisioning/sdk` for a definition: the helpers for types return their argument. */
const SDK_TEXT = 'export const defineInfra = (infra) => infra;\nexport const defineBatch = (batch) => batch;\n';

/**
 * Bundles a TypeScript file and its imports into one script, with esbuild in a process of its own within limits. Types
 * are removed, not checked. Imports are files of the workspace and of the platform, after their links are resolved.
 * esbuild opens no file: it gets their texts from `Imports`.
 *
 * @param folder private folder for the results
 * @param platform default: the modules for definitions
 */
export async function bundle(
  { file, text, root }: Omit<Program, 'given'>,
  folder: string,
  platform?: Platform,
): Promise<Bundle | Problem[]> {
  const entry = await realpath(file);
  const given = platform ?? (await forDefinitions(folder));
  const imports = new Imports({ file, text, entry, root: await realpath(root) }, given);
  const out = join(folder, 'out.js');
  const seconds = LIMITS.typescriptSeconds;
  const ran = await runLimited({
    program: process.execPath,
    args: [
      '--no-warnings',
      '--eval',
      BUNDLER,
      createRequire(import.meta.url).resolve('esbuild'),
      JSON.stringify(optionsOf(entry, out, given)),
    ],
    cwd: folder,
    env: childEnvironment({ PATH: process.env.PATH, TMPDIR: process.env.TMPDIR }),
    answer: (question) => imports.answer(question as Question),
    seconds,
  });
  if (imports.over) return [imports.over];
  if (ran.kind === 'too-much') return [tooMuch(ran, file, seconds)];
  // esbuild has ended, and the process with it.
  if (ran.kind === 'ended' && ran.code === 1) return [tooMuch({ kind: 'too-much', what: 'time' }, file, seconds)];
  if (ran.kind === 'absent' || ran.code !== 0) return [problemIn(file, 'esbuild cannot read it')];
  const { errors, maps } = JSON.parse(ran.output) as BundleResult;
  if (errors.length > 0) return errors.slice(0, LIMITS.problems).map((one) => problemOf(one, { file, entry, maps }));
  const map = JSON.parse(await readFile(`${out}.map`, 'utf8')) as { sources: string[] };
  const sources = map.sources.map(pathOf);
  const imported = [...imports.files.values()].filter((one) => one.file !== entry);
  return { code: await readFile(out, 'utf8'), map: JSON.stringify({ ...map, sources }), imports: imported };
}

/** @param entry is resolved by the bundler's plugin, as everything is */
function optionsOf(entry: string, outfile: string, { first }: Platform): object {
  return {
    ...{ entryPoints: [entry], outfile, bundle: true, format: 'iife', globalName: '__definition' },
    ...{ platform: 'neutral', target: 'es2023', define: { require: NO_REQUIRE }, tsconfigRaw: {}, legalComments: 'none' },
    ...(first === undefined ? {} : { inject: [first], minify: true }),
    ...{ sourcemap: 'external', sourcesContent: false, logLevel: 'silent', logLimit: LIMITS.problems },
  };
}

async function forDefinitions(folder: string): Promise<Platform> {
  const own = await realpath(await mkdtemp(join(folder, 'sdk-')));
  const sdk = join(own, 'provisioning-sdk.js');
  await writeFile(sdk, SDK_TEXT);
  return { imports: { [SDK]: sdk }, folder: own };
}

/** The path in `workspace:/infra/shop.ts`, as esbuild calls what it was given. */
const pathOf = (name: string): string => name.replace(/^\w+:(?=\/)/, '');

/** Errors of esbuild, in words that need no knowledge of it. */
const WORDS: readonly [RegExp, (found: RegExpMatchArray) => [message: string, suggestion: string]][] = [
  [
    /^No matching export in "(.*)" for import "(.*)"$/,
    ([, file = '', name = '']) => [
      `${relative('', pathOf(file))} has no export "${name}"`,
      'import a type by "import type", and export it by "export type"',
    ],
  ],
  [/^Converting "require" /, () => ['it imports by "require"', 'import NAME from "./FILE.js"']],
];

function problemOf(
  { text, detail, location }: Message,
  { file, entry, maps }: { file: string; entry: string; maps: BundleResult['maps'] },
): Problem {
  const path = location ? pathOf(location.file) : entry;
  const known = WORDS.map(([pattern, words]) => [text.match(pattern), words] as const).find(([found]) => found);
  const [message, suggestion] = known?.[0] ? known[1](known[0]) : [text, detail?.suggestion];
  return problemIn(
    file,
    message,
    { ...(path === entry ? {} : { file: relative('', path) }), ...placeOf(location, maps) },
    suggestion,
  );
}

/** Place in the file, also if esbuild got JavaScript that was made of it. */
function placeOf(location: Message['location'], maps: BundleResult['maps']): Partial<Place> {
  if (!location) return {};
  const { file, line, column, lineText } = location;
  const at = Buffer.from(lineText).subarray(0, column).toString().length;
  const map = file.startsWith(`${WORKSPACE}:`) ? maps[pathOf(file)] : undefined;
  if (map === undefined) return { line, column: at + 1 };
  const found = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(line - 1, at);
  return 'originalSource' in found ? { line: found.originalLine + 1, column: found.originalColumn + 1 } : {};
}
