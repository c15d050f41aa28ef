import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GOOD_FOR_MS } from '../../core/encoding/sealed-message.js';

/**
 * Which run each message that starts one was used for. Kept outside of Temporal,
 * where who may write could start an ended workflow again with its recorded input.
 */
export interface Claims {
  /** Whether this run is the first to use the message; also when it asks again. */
  claim(start: string, run: string): Promise<boolean>;
}

/** After this time no run can begin with the message any more, in milliseconds. */
export const FORGET_AFTER_MS = 3 * GOOD_FOR_MS;
const SWEEP_EVERY_MS = GOOD_FOR_MS;
/** So many runs need not be looked up again. */
const KNOWN = 5_000;

/** Answers for runs that were looked up before without asking again. */
export function rememberedClaims(claims: Claims): Claims {
  const known = new Map<string, string>();
  return {
    async claim(start, run) {
      const before = known.get(start);
      if (before !== undefined) return before === run;
      const ours = await claims.claim(start, run);
      if (ours) known.set(start, run);
      if (known.size > KNOWN) known.delete(known.keys().next().value as string);
      return ours;
    },
  };
}

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

  return rememberedClaims({
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
