import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { transform } from 'esbuild';
import { execa } from 'execa';
import { openPack, type PackIndex, type Place, SIZE_DIGITS, thisNode } from '../../cli/start/pack.js';

/**
 * Commands that are run to compile their code. Code that follows the worker's answer is short and compiled on demand.
 */
const RUNS = [
  ['--help'],
  ['status', '--json'],
  ['validate', 'examples/quickstart.yaml'],
  ['apply', 'examples/quickstart.yaml', '--yes', '--json'],
];

/** Version of the pack format. Packs of another version are rebuilt. */
const WAY = 2;

/**
 * Writes `dist/cli.pack`: the chunks of the command line with V8's code cache from a few commands. Without it, Node
 * would compile the chunks at each start. Does nothing if the chunks are unchanged.
 *
 * @param chunks texts of ES modules by name; the first is the program
 * @param banner common beginning of all chunks, which a function does not need
 */
export async function buildPack(root: string, chunks: ReadonlyMap<string, string>, banner: string): Promise<void> {
  const target = join(root, 'dist/cli.pack');
  const of = createHash('sha256')
    .update(JSON.stringify([WAY, ...chunks]))
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
    for (const [index, run] of RUNS.entries()) {
      const out = join(folder, String(index));
      // Use the address of a Temporal service that does not answer. Otherwise the first operation would start an
      // engine for this home.
      const env = { PROVISIONING_HOME: join(folder, 'home'), HOME: folder, TEMPORAL_ADDRESS: '127.0.0.1:1' };
      // The result of a command does not matter, only that it runs.
      await execa('tsx', [join(root, 'scripts/pack/record.ts'), bare, join(root, 'dist/cli.js'), out, ...run], {
        cwd: root,
        env,
        preferLocal: true,
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

/** Parses the output of `record.ts`: a line of names and sizes, then the concatenated code caches. */
function codesIn(bytes: Buffer): [string, Buffer][] {
  const end = bytes.indexOf('\n');
  const sizes = JSON.parse(bytes.toString('utf8', 0, end)) as [string, number][];
  let at = end + 1;
  return sizes.map(([name, size]) => {
    at += size;
    return [basename(name), bytes.subarray(at - size, at)];
  });
}
