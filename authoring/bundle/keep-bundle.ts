import { realpath } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import type { Client } from '../../client/client.js';
import type { Bundle } from '../../core/definition/bundle.js';
import type { Definition } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import { addressOf } from '../../core/infra/definition-log.js';
import { sizeText } from '../../core/limits.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import type { FileText } from '../../definition/source/source.js';
import { usesModules } from '../modules/registries.js';
import { usesSources } from '../sources/uses-sources.js';

/** What a definition was read from. */
export interface Sources {
  /** The file that was named. */
  main: string;
  environment?: string;
  texts: readonly FileText[];
}

/** Characters of texts that one call brings, below what a request may weigh with its escapes. */
const PART = 1_500_000;
/** Where files lie that are not of the workspace's folder. */
const ELSEWHERE = 'elsewhere';

// By the object, so that whoever changes a definition after it was read has one without sources.
const known = new WeakMap<Definition, Sources>();

/** Notes what a definition was read from, for as long as it is this object. */
export const rememberSources = (definition: Definition, sources: Sources): void => void known.set(definition, sources);

/** Notes the same of a definition that was made of another one. */
export function keepSources(from: Definition, to: Definition): void {
  const sources = known.get(from);
  if (sources) known.set(to, sources);
}

/** Says how far an upload is, one line at a time. */
type Note = (text: string) => void;

/**
 * Keeps the files that a definition was read from where the worker is, those that are not there yet.
 *
 * @param note called with the progress if they need more than one call
 * @returns the address of the bundle; undefined where no file is known, or nobody is there to keep it
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
    // An operation that waits for a worker is not refused because its sources cannot be kept.
    const isAway = error instanceof ProvisioningError && error.details.code === 'no-worker';
    if (isAway && !needsFiles(definition)) return undefined;
    throw error;
  }
}

/** Whether what comes with a definition is needed to carry it out: code, or the source of an application. */
const needsFiles = (definition: Definition): boolean => usesModules(definition) || usesSources(definition);

/**
 * Keeps the files of a definition where it needs code or sources that come with it; else nothing has to be there before
 * it is submitted.
 *
 * @throws inputError `too-large`
 */
export async function keepModules(client: Client, definition: Definition, note?: Note): Promise<void> {
  if (needsFiles(definition)) await keepBundle(client, definition, note);
}

/** Says before each part how much of what is missing was sent, if there is more than one part. */
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

/** Two files from elsewhere may have one name. */
function unused(path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  for (let number = 2; ; number++) if (!taken.has(`${path}.${number}`)) return `${path}.${number}`;
}

/** The missing texts in calls of a size that is taken. */
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
