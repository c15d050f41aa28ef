import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../../home/durable.js';
import { createSupersededError, type SequenceOwner, type SequenceStore } from '../sequences.js';
import { bytesAt, namesIn } from './listing.js';

/**
 * Sequences in files of the home: `<workspace>/<infra>/<sequence>`. The content is the run that began the sequence.
 * Files are created atomically, and the file system rejects the second of two simultaneous creations. So no lock is
 * needed.
 */
export function sequenceFiles(folder: string): SequenceStore {
  const folderOf = ({ workspace, infra }: SequenceOwner) => join(folder, encodeURIComponent(workspace), encodeURIComponent(infra));

  const numbersIn = async (place: string): Promise<number[]> =>
    (await namesIn(place)).filter((name) => /^\d+$/.test(name)).map(Number);

  return {
    async begin(owner, run, sequence) {
      const place = folderOf(owner);
      for (;;) {
        const highest = Math.max(-1, ...(await numbersIn(place)));
        const by = highest < 0 ? null : await bytesAt(place, String(highest));
        // One that a later run has just removed is not the highest any more.
        if (by === undefined) continue;
        if (by?.toString('utf8') === run && (sequence ?? highest) === highest) return highest;
        const wanted = sequence ?? Math.max(1, highest + 1);
        if (wanted <= highest) throw createSupersededError(owner, wanted, highest);
        if (!(await createFile(join(place, String(wanted)), run))) continue;
        const now = await numbersIn(place);
        const later = Math.max(...now);
        if (later > wanted && sequence === undefined) continue;
        if (later > wanted) throw createSupersededError(owner, wanted, later);
        for (const former of now) if (former < wanted) await rm(join(place, String(former)), { force: true });
        return wanted;
      }
    },
  };
}
