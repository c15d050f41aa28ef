import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GOOD_FOR_MS } from '../../core/encoding/sealed-message.js';
import { type Claims, FORGET_AFTER_MS, rememberClaims } from '../claims.js';

const SWEEP_EVERY_MS = GOOD_FOR_MS;

/** Claims as files, one for each message, named by its hash; those that nobody can use any more go. */
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
      const path = join(root, createHash('sha256').update(start).digest('hex'));
      const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
      await writeFile(draft, run, { mode: 0o600, flag: 'wx' });
      try {
        // Fails where another run was first, and never leaves half a file.
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
