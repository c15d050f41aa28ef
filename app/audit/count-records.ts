import { messageOf } from '../../core/errors.js';
import type { Draft } from './drafts.js';

/** Equal records within this time are one record, in milliseconds. */
const WINDOW_MS = 60_000;
/** Different records that are counted at a time, at most. */
const MOST = 10_000;

/** Counts equal records. */
export interface RecordCounter {
  /** Counts a record that is written at the end of its minute. */
  count(draft: Draft): void;
  /** Writes a record at once, and counts equal ones in the next minute. Throws the errors of the write. */
  countFurther(draft: Draft): Promise<void>;
  /** Writes the counts. Never throws: counts that cannot be written are kept, and the log reports them. */
  flush(): Promise<void>;
}

interface CountState {
  draft: Draft;
  count: number;
  until: string;
}

/** @param write appends records */
export function createRecordCounter(
  write: (drafts: readonly Draft[]) => Promise<void>,
  log: (line: string) => void,
): RecordCounter {
  let counted = new Map<string, CountState>();
  let timer: NodeJS.Timeout | undefined;

  function add(key: string, draft: Draft, times: number): void {
    const known = counted.get(key);
    if (!known) counted.set(key, { draft, count: times, until: draft.at });
    else {
      // The resources of the others are not in the record: it names one only if they all have it.
      const { resource: _, ...rest } = known.draft;
      const draftOfAll = known.count > 0 && known.draft.resource !== draft.resource ? rest : known.draft;
      counted.set(key, { draft: known.count === 0 ? draft : draftOfAll, count: known.count + times, until: draft.at });
    }
    timer ??= setTimeout(() => void flush(), WINDOW_MS).unref();
    if (counted.size > MOST) void flush();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const former = counted;
    counted = new Map();
    const drafts = [...former.values()]
      .filter(({ count }) => count > 0)
      .map(({ draft, count, until }) => ({ ...draft, ...(count > 1 && { count, until }) }));
    try {
      await write(drafts);
    } catch (error) {
      log(`the audit has not recorded ${drafts.length} counted records yet: ${messageOf(error)}`);
      if (counted.size < MOST) for (const [key, one] of former) if (one.count > 0) add(key, one.draft, one.count);
    }
  }

  return {
    count: (draft) => add(formatKey(draft), draft, 1),
    async countFurther(draft) {
      // Anybody may come from many addresses: then they are counted together.
      const one = counted.size < MOST / 2 ? draft : withoutAddress(draft);
      const key = formatKey(one);
      if (counted.has(key)) return add(key, one, 1);
      add(key, one, 0);
      await write([one]);
    },
    flush,
  };
}

function withoutAddress({ address: _, resource: __, ...draft }: Draft): Draft {
  return draft;
}

const formatKey = ({ class: of, actor, address, door, method, action, outcome, code, reason }: Draft): string =>
  JSON.stringify([of, actor, address, door, method, action, outcome, code, reason]);
