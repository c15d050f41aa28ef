import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inputsHash } from './inputs-hash.js';

/** Rooms from which the programs are built, and the build itself. */
export const FOLDERS: readonly string[] = [
  ...['activities', 'app', 'authoring', 'cli', 'client', 'core', 'definition', 'encryption', 'home', 'members', 'modules'],
  ...['providers', 'scripts', 'sdk', 'secrets', 'settings', 'sops', 'stores', 'taskservs', 'temporal-ui', 'upstream', 'api'],
  ...['workers', 'workflows'],
];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json'];

/** Hashes all inputs of `dist/`, including generated files. */
export const buildInputs = (root: string): string => `${inputsHash(root, FOLDERS, [...FILES, ...dataIn(root)])}\n`;

/** Lists data files beside the sources: versions of releases, the Go program of the engine. */
const dataIn = (root: string): string[] =>
  FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.(ts|md|tmpl)$/.test(entry.name) && !/\/cases(\/|$)/.test(entry.parentPath))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** Returns the path of the file in `dist/` that records the inputs. An interrupted build does not write it. */
export const stampOf = (root: string): string => join(root, 'dist/build.inputs');

/** Returns whether `dist/` is up to date. */
export function isBuilt(root: string): boolean {
  if (!existsSync(stampOf(root)) || !existsSync(join(root, 'dist/build-id'))) return false;
  return readFileSync(stampOf(root), 'utf8') === buildInputs(root);
}

/** Record of the generated files and their sources at the end of `npm run generate`. */
const generatedStampOf = (root: string): string => join(root, 'dist/generated.inputs');

/** Whether `npm run generate` would find all files as it left them: then it would write what is there. */
export function isGenerated(root: string): boolean {
  const stamp = generatedStampOf(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === buildInputs(root);
}

/**
 * Generates, and records it for `isGenerated`, unless a source changed in that time: it may have been read before.
 *
 * @param generate writes all files that `isWritten` names
 */
export async function generateOnce(root: string, generate: () => Promise<void>): Promise<void> {
  const before = sourcesHash(root);
  await generate();
  const all = buildInputs(root);
  if (sourcesHash(root) !== before) return;
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(generatedStampOf(root), all);
}

/** Reports whether `npm run generate` writes the file. */
const isWritten = (path: string): boolean => /\.generated\.ts$|\/core\/operation\/request-schemas\.ts$/.test(path);

const sourcesHash = (root: string): string =>
  inputsHash(root, FOLDERS, [...FILES, ...dataIn(root)], (path) => (isWritten(path) ? undefined : readFileSync(path)));
