import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { execa } from 'execa';
import { openPack, type PackIndex, type Place, SIZE_DIGITS, thisNode } from '../../cli/start/pack.js';
import { codesIn } from './record-code.js';

/** Version of the pack format. Packs of another version are rebuilt. */
const WAY = 3;

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
}

/** `SCRIPT PACK OUT ARGUMENTS…`: a script that runs a pack, and writes the compiled code to `OUT` (record-code.ts). */
export interface RecordingRun {
  script: string;
  args: readonly string[];
  /** Flags of V8. It accepts compiled code only in a process with the same flags. */
  flags?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/**
 * Writes a pack: the chunks of a program with V8's code cache from a few runs. Without it, Node would compile the chunks
 * at each start. Does nothing if the chunks are unchanged.
 */
export async function buildPack(root: string, { target, chunks, banner, runs }: PackedProgram): Promise<void> {
  const of = createHash('sha256')
    .update(JSON.stringify([WAY, runs, ...chunks]).replaceAll(root, ''))
    .digest('hex');
  const former = openPack(target)?.index;
  if (former?.of === of && former.node === thisNode()) return;

  const texts = new Map<string, string>();
  for (const [name, text] of chunks) texts.set(name, await asFunction(text.replace(banner, '')));
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-pack-'));
  try {
    const bare = join(folder, 'bare.pack');
    await writeFile(bare, packed(of, texts, new Map()));
    const compiled = new Map<string, Buffer>();
    for (const [index, { script, args, flags = [], env = {} }] of runs.entries()) {
      const out = join(folder, String(index));
      // Use the address of a Temporal service that does not answer. Otherwise the first operation would start an
      // engine for this home.
      const home = { PROVISIONING_HOME: join(folder, 'home'), HOME: folder, TEMPORAL_ADDRESS: '127.0.0.1:1' };
      await execa(process.execPath, ['--import', 'tsx', ...flags, join(root, script), bare, out, ...args], {
        cwd: root,
        env: { ...home, ...env },
        reject: false,
        stdio: 'ignore',
        timeout: 60_000,
      });
      for (const [name, code] of codesIn(await readFile(out))) {
        if (code.length > (compiled.get(name)?.length ?? 0)) compiled.set(name, code);
      }
    }
    const path = `${target}.${process.pid}`;
    await writeFile(path, packed(of, texts, compiled));
    await rename(path, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
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

export function packed(of: string, texts: ReadonlyMap<string, string>, codes: ReadonlyMap<string, Buffer>): Buffer {
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
  const index = Buffer.from(JSON.stringify({ node: thisNode(), of, chunks } satisfies PackIndex), 'latin1');
  return Buffer.concat([Buffer.from(String(index.length).padStart(SIZE_DIGITS, '0')), index, ...parts]);
}
