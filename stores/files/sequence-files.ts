import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type SequenceOwner, type SequenceStore, superseded } from '../sequences.js';

const hasCode = (error: unknown, ...codes: string[]) => codes.includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Sequences in files of the home: `<workspace>/<infra>/<sequence>`, with the run that began
 * it as content. A file is there whole or not at all, and two who make the same one at once
 * are told apart by the file system, so no lock is needed.
 */
export function sequenceFiles(folder: string): SequenceStore {
  const folderOf = ({ workspace, infra }: SequenceOwner) => join(folder, encodeURIComponent(workspace), encodeURIComponent(infra));

  async function numbersIn(place: string): Promise<number[]> {
    const names = await readdir(place).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    return names.filter((name) => /^\d+$/.test(name)).map(Number);
  }

  const runOf = (place: string, sequence: number): Promise<string | null> =>
    readFile(join(place, String(sequence)), 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });

  /** Sees that the names in a folder outlive a crash of the machine. */
  async function keep(place: string): Promise<void> {
    const own = await open(place, 'r');
    await own.sync().finally(() => own.close());
  }

  /** Makes the file unless it is there; answers whether this call made it. */
  async function make(place: string, sequence: number, run: string): Promise<boolean> {
    const draft = join(place, `.${randomUUID()}`);
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(run);
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await link(draft, join(place, String(sequence)));
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
    await keep(place);
    return true;
  }

  return {
    async begin(owner, run, sequence) {
      const place = folderOf(owner);
      const isNew = await mkdir(place, { recursive: true, mode: 0o700 });
      if (isNew) for (const above of [dirname(place), folder]) await keep(above);
      for (;;) {
        const highest = Math.max(-1, ...(await numbersIn(place)));
        const by = highest < 0 ? undefined : await runOf(place, highest);
        // One that a later run has just removed is not the highest any more.
        if (by === null) continue;
        if (by === run && (sequence ?? highest) === highest) return highest;
        const wanted = sequence ?? Math.max(1, highest + 1);
        if (wanted <= highest) throw superseded(owner, wanted, highest);
        if (!(await make(place, wanted, run))) continue;
        const now = await numbersIn(place);
        const later = Math.max(...now);
        if (later > wanted && sequence === undefined) continue;
        if (later > wanted) throw superseded(owner, wanted, later);
        for (const former of now) if (former < wanted) await rm(join(place, String(former)), { force: true });
        return wanted;
      }
    },
  };
}
