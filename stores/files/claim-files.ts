import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GOOD_FOR_MS } from '../../core/encoding/sealed-message.js';
import { createFile } from '../../home/durable.js';
import { type Claims, FORGET_AFTER_MS, hashMessage, type KeptClaim, rememberClaims } from '../claims.js';
import { bytesAt, namesIn } from './listing.js';

const SWEEP_EVERY_MS = GOOD_FOR_MS;

/** Claims as files, one for each message, named by its hash. Expired claims are deleted. */
export function claimFiles(root: string): Claims {
  let swept = 0;

  async function sweep(): Promise<void> {
    const now = Date.now();
    if (now - swept < SWEEP_EVERY_MS) return;
    swept = now;
    for (const name of await readdir(root)) {
      const path = join(root, name);
      const found = await stat(path).catch(() => undefined);
      if (found && now - found.mtimeMs > FORGET_AFTER_MS) await rm(path, { force: true });
    }
  }

  return rememberClaims({
    async claim(start, run) {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await sweep();
      const path = join(root, hashMessage(start));
      const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
      await writeFile(draft, run, { mode: 0o600, flag: 'wx' });
      try {
        // Fails if another run was first, and never leaves a partial file.
        await link(draft, path);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        return (await readFile(path, 'utf8')) === run;
      } finally {
        await rm(draft, { force: true });
      }
    },
  });
}

/** Claims that still count, for another store. */
export async function* claimsIn(root: string): AsyncGenerator<KeptClaim> {
  for (const hash of await namesIn(root)) {
    const found = /^[0-9a-f]{64}$/.test(hash) ? await stat(join(root, hash)).catch(() => undefined) : undefined;
    if (!found || Date.now() - found.mtimeMs > FORGET_AFTER_MS) continue;
    const run = await bytesAt(root, hash);
    if (run) yield { hash, run: run.toString('utf8') };
  }
}

/** Stores a claim from another store, for as long as a new one. */
export const keepClaimFile = async (root: string, { hash, run }: KeptClaim): Promise<void> =>
  void (await createFile(join(root, hash), run));
