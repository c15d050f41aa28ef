import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { transform } from 'esbuild';
import { openPack, type Pack, type PackIndex, type Place, SIZE_DIGITS, thisNode } from '../../cli/start/pack.js';
import { type RecordingRun, recordRuns } from './record-runs.js';

/** Version of the pack format. Packs of another version are rebuilt. */
const WAY = 4;

/** A program to pack. */
export interface PackedProgram {
  /** Path of the pack. */
  target: string;
  /** Texts of ES modules by name. */
  chunks: ReadonlyMap<string, string>;
  /** Common beginning of all chunks, which a function does not need. */
  banner: string;
  /** Runs that compile its code. Their result does not matter. */
  runs: readonly RecordingRun[];
  /** Content hash of the built code that the pack belongs to, if it is compared at the start. */
  build?: string;
}

/**
 * Writes a pack: the chunks of a program with V8's code cache from a few runs. Without it, Node would compile the chunks
 * at each start. Writes nothing if the pack has all of it already. A run that fails leaves its code out, with a warning.
 *
 * @returns the warnings
 */
export async function buildPack(root: string, { target, chunks, banner, runs, build }: PackedProgram): Promise<string[]> {
  const of = hashOf(root, { chunks, runs });
  const former = usablePack(target, of);
  if (former && former.index.build === build) return [];

  const texts = new Map<string, string>();
  for (const [name, text] of chunks) texts.set(name, await asFunction(text.replace(banner, '')));
  // Another build of the same chunks: only its name in the pack changes.
  const { compiled, failures } = former
    ? { compiled: codesFrom(former), failures: [] }
    : await recordRuns(root, runs, packed({ of }, texts, new Map()));
  const index = { of, ...(build !== undefined && { build }), ...(failures.length > 0 && { isIncomplete: true as const }) };
  await writeWhole(target, packed(index, texts, compiled));
  if (failures.length === 0) return [];
  return [
    `${basename(target)}: its program starts more slowly until the next build, without compiled code of ${failures.join(', ')}`,
  ];
}

/**
 * Removes a pack that does not have these chunks. An interrupted build would leave it beside the new modules of its
 * program, and it would be run instead of them.
 */
export async function removeFormerPack(root: string, program: PackedProgram): Promise<void> {
  if (openPack(program.target)?.index.of !== hashOf(root, program)) await rm(program.target, { force: true });
}

/** Returns a hash of all that a pack is made from, except its build. */
const hashOf = (root: string, { chunks, runs }: Pick<PackedProgram, 'chunks' | 'runs'>): string =>
  createHash('sha256')
    .update(JSON.stringify([WAY, runs, ...chunks]).replaceAll(root, ''))
    .digest('hex');

function usablePack(target: string, of: string): Pack | undefined {
  const pack = openPack(target);
  return pack?.index.of === of && pack.index.node === thisNode() && !pack.index.isIncomplete ? pack : undefined;
}

function codesFrom(pack: Pack): Map<string, Buffer> {
  const codes = new Map<string, Buffer>();
  for (const name of Object.keys(pack.index.chunks)) {
    const { code } = pack.read(name);
    if (code) codes.set(name, code);
  }
  return codes;
}

/** Replaces a file. Programs that start meanwhile, and a power cut, find the former or the new one. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, bytes, { flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Converts an ES module to a function body: Node modules cannot be compiled in advance. */
export async function asFunction(text: string): Promise<string> {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    define: { 'import.meta.url': '__url' },
    supported: { 'dynamic-import': false },
  });
  // esbuild escapes non-ASCII characters in texts but not in regular expressions. A pack is read as Latin-1.
  return code.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the bytes of a pack for this Node. */
export function packed(
  more: Omit<PackIndex, 'node' | 'chunks'>,
  texts: ReadonlyMap<string, string>,
  codes: ReadonlyMap<string, Buffer>,
): Buffer {
  const chunks: Record<string, Place> = {};
  const parts: Buffer[] = [];
  let at = 0;
  for (const [name, text] of texts) {
    const bytes = Buffer.from(text, 'latin1');
    const code = codes.get(name) ?? Buffer.alloc(0);
    chunks[name] = { at, text: bytes.length, code: code.length };
    parts.push(bytes, code);
    at += bytes.length + code.length;
  }
  const index = Buffer.from(JSON.stringify({ node: thisNode(), ...more, chunks } satisfies PackIndex), 'latin1');
  return Buffer.concat([Buffer.from(String(index.length).padStart(SIZE_DIGITS, '0')), index, ...parts]);
}
