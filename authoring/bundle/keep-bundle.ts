import { realpath } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import type { Client } from '../../client/client.js';
import type { Bundle } from '../../core/definition/bundle.js';
import type { Definition } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import { addressOf } from '../../core/infra/definition-log.js';
import { sizeText } from '../../core/limits.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import type { FileText } from '../../definition/source/source.js';
import { usesModules } from '../modules/registries.js';
import { usesSources } from '../sources/uses-sources.js';

/** Files that a definition was read from. */
export interface Sources {
  /** The file that was named. */
  main: string;
  environment?: string;
  texts: readonly FileText[];
}

/** Characters of texts per call, below the maximum request size including escapes. */
const PART = 1_500_000;
/**
 * Codes of platforms that store no files now: a queued operation is accepted before a worker runs, and a tenant cannot
 * keep files.
 */
const CANNOT_STORE: ReadonlySet<string> = new Set(['no-worker', 'not-for-tenants']);
/** Folder in the bundle for files from outside the workspace's folder. */
const ELSEWHERE = 'elsewhere';

// Keyed by the object, so that a definition that was changed after reading has no sources.
const known = new WeakMap<Definition, Sources>();

/** Records the files that a definition was read from, as long as this object exists. */
export const rememberSources = (definition: Definition, sources: Sources): void => void known.set(definition, sources);

/** Copies the record to a definition that was derived from another one. */
export function keepSources(from: Definition, to: Definition): void {
  const sources = known.get(from);
  if (sources) known.set(to, sources);
}

/** Reports the progress of an upload, one line at a time. */
type Note = (text: string) => void;

/**
 * Stores the files that a definition was read from at the worker. Files that the worker already has are not sent.
 *
 * @param note receives the progress if more than one call is needed
 * @returns the address of the bundle; undefined if no file is known or nothing can store it
 * @throws inputError `too-large`
 */
export async function keepBundle(client: Client, definition: Definition, note: Note = () => {}): Promise<string | undefined> {
  const sources = known.get(definition);
  if (!sources) return undefined;
  const texts = new Map<string, string>();
  const bundle = await bundleOf(definition, sources, texts);
  try {
    let kept = await client.bundles.put({ bundle });
    const progress = describeUpload(kept.missing, texts, note);
    for (const part of partsOf(kept.missing, texts)) {
      progress(part);
      kept = await client.bundles.put({ bundle, texts: part });
    }
    return kept.bundle;
  } catch (error) {
    const code = error instanceof ProvisioningError ? error.details.code : '';
    if (CANNOT_STORE.has(code) && !needsFiles(definition)) return undefined;
    throw error;
  }
}

/**
 * Stores the same, and returns what the request of the operation says of the definition: its bundle or, if the files
 * cannot be stored, its environment.
 *
 * @throws inputError `too-large`
 */
export async function keepSource(
  client: Client,
  definition: Definition,
  note?: Note,
): Promise<Pick<OperationRequest, 'bundle' | 'environment'>> {
  const bundle = await keepBundle(client, definition, note);
  if (bundle !== undefined) return { bundle };
  const environment = known.get(definition)?.environment;
  return environment ? { environment } : {};
}

/** Returns whether an operation needs the definition's files: code, or the source of an application. */
const needsFiles = (definition: Definition): boolean => usesModules(definition) || usesSources(definition);

/**
 * Stores the files of a definition that comes with code or sources. Otherwise nothing is needed before the request is
 * submitted.
 *
 * @throws inputError `too-large`
 */
export async function keepModules(client: Client, definition: Definition, note?: Note): Promise<void> {
  if (needsFiles(definition)) await keepBundle(client, definition, note);
}

/** Reports before each part how much was sent, if there is more than one part. */
function describeUpload(missing: readonly string[], texts: ReadonlyMap<string, string>, note: Note) {
  const sizeOf = (all: Iterable<string>) => [...all].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const whole = sizeOf(missing.map((address) => texts.get(address) ?? ''));
  let sent = 0;
  return (part: Readonly<Record<string, string>>) => {
    const size = sizeOf(Object.values(part));
    if (size < whole) note(`uploading ${missing.length} files: ${sizeText(sent)} of ${sizeText(whole)} sent`);
    sent += size;
  };
}

async function bundleOf(definition: Definition, sources: Sources, texts: Map<string, string>): Promise<Bundle> {
  const { workspace, infra } = definition;
  const { main, environment } = sources;
  const { folder: root } = await workspaceFolder(main);
  const real = await realpath(root).catch(() => root);
  const paths = new Map<string, string>();
  const files: Bundle['files'] = [];
  for (const { file, text } of sources.texts) {
    const absolute = resolve(file);
    if (paths.has(absolute)) continue;
    const path = unused(pathIn([root, real], absolute), new Set(paths.values()));
    paths.set(absolute, path);
    const address = addressOfFile(workspace, text);
    texts.set(address, text);
    files.push({ path, address, size: Buffer.byteLength(text) });
  }
  const named = paths.get(resolve(main)) ?? basename(main);
  return { workspace, infra, definition: addressOf(definition), main: named, ...(environment ? { environment } : {}), files };
}

function pathIn(roots: string[], file: string): string {
  const inside = roots.map((root) => relative(root, file)).find((path) => path !== '' && !path.startsWith('..'));
  return inside === undefined ? `${ELSEWHERE}/${basename(file)}` : inside.split(sep).join('/');
}

/** Returns an unused path: two files from elsewhere may have the same name. */
function unused(path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  for (let number = 2; ; number++) if (!taken.has(`${path}.${number}`)) return `${path}.${number}`;
}

/** Splits the missing texts into calls of an allowed size. */
function* partsOf(missing: readonly string[], texts: ReadonlyMap<string, string>): Generator<Record<string, string>> {
  let part: Record<string, string> = {};
  let size = 0;
  for (const address of missing) {
    const text = texts.get(address) ?? '';
    if (size > 0 && size + text.length > PART) {
      yield part;
      part = {};
      size = 0;
    }
    part[address] = text;
    size += text.length;
  }
  if (size > 0 || missing.length > 0) yield part;
}
