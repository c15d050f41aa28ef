import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Maximum size of an unpacked list, in bytes. */
const MOST = 512 * 1024 * 1024;

/**
 * Unpacks a file by its extension: `.gz`, `.xz` (with the `xz` program), or unchanged.
 *
 * @param most bytes
 * @throws Error if the file is damaged, too large, or needs `xz` and the program is missing
 */
export async function* unpackBody(name: string, body: Buffer, most = MOST): AsyncGenerator<Buffer> {
  const from = name.endsWith('.gz') ? gunzip(body) : name.endsWith('.xz') ? unxz(body) : [body];
  let size = 0;
  for await (const chunk of from) {
    size += chunk.length;
    if (size > most) throw new Error(`unpacked, it is larger than ${Math.round(most / 1_000_000)} MB`);
    yield chunk as Buffer;
  }
}

function gunzip(body: Buffer): Readable {
  const stream = createGunzip();
  stream.end(body);
  return stream;
}

async function* unxz(body: Buffer): AsyncGenerator<Buffer> {
  const child = spawn('xz', ['--decompress', '--stdout', '--memlimit-decompress=256MiB'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', () => resolve('the program xz is not installed here'));
    child.on('close', (code) => resolve(code === 0 ? undefined : 'xz cannot unpack it'));
  });
  try {
    child.stdin.on('error', () => {}).end(body);
    yield* child.stdout;
    const why = await ended;
    if (why !== undefined) throw new Error(why);
  } finally {
    child.kill();
  }
}
