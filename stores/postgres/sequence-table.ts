import { createSupersededError, type SequenceStore } from '../sequences.js';
import type { Database } from './database.js';

/** Sequences in the team's store. */
export function sequenceTable(database: Database): SequenceStore {
  return {
    async begin({ workspace, infra }, run, sequence) {
      const next = sequence === undefined;
      // One statement: each of several simultaneous calls sees the writes of the one before it.
      const [row] = await database.query<{ sequence: string }>(
        'begin a state',
        next
          ? `insert into provisioning.sequences as kept (workspace, infra, run, sequence) values ($1, $2, $3, 1)
             on conflict (workspace, infra) do update
             set sequence = case when kept.run = excluded.run then kept.sequence else kept.sequence + 1 end, run = excluded.run
             returning sequence`
          : `insert into provisioning.sequences as kept (workspace, infra, run, sequence) values ($1, $2, $3, $4)
             on conflict (workspace, infra) do update set sequence = excluded.sequence, run = excluded.run
             where kept.sequence < excluded.sequence or (kept.sequence = excluded.sequence and kept.run = excluded.run)
             returning sequence`,
        next ? [workspace, infra, run] : [workspace, infra, run, sequence],
      );
      if (row) return Number(row.sequence);
      const [kept] = await database.query<{ sequence: string }>(
        'read a state',
        'select sequence from provisioning.sequences where workspace = $1 and infra = $2',
        [workspace, infra],
      );
      throw createSupersededError({ workspace, infra }, sequence ?? 0, Number(kept?.sequence ?? 0));
    },
  };
}
