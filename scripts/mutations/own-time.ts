import { readdirSync, readFileSync } from 'node:fs';

/** The processes of a tree at a moment. */
export interface Sample {
  /** Seconds. */
  at: number;
  /** Seconds that processors have spent in them. */
  processor: number;
  /** Whether each of them waits for something else than a processor. */
  isAsleep: boolean;
}

/** Seconds that the tree used between two moments: those in which it waited for a processor do not count. */
export const ownSeconds = (before: Sample, now: Sample): number =>
  Math.max(0, now.processor - before.processor, now.isAsleep ? now.at - before.at : 0);

/** What a process and all that it started have used since its clock was started, in seconds. */
export interface Used {
  /** Of its own time, which stands still while others have the processors. */
  own: number;
  processor: number;
}

export function startClock(pid: number): () => Used {
  const first = sample(pid);
  let last = first;
  let own = 0;
  return () => {
    const now = sample(pid);
    own += ownSeconds(last, now);
    last = now;
    return { own, processor: now.processor - first.processor };
  };
}

function sample(root: number): Sample {
  let processor = 0;
  let isAsleep = true;
  const left = [root];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    try {
      const { state, seconds } = readStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      processor += seconds;
      isAsleep &&= state === 'S' || state === 'Z';
      for (const thread of readdirSync(`/proc/${pid}/task`))
        left.push(...readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
    } catch {
      // It has ended.
    }
  }
  return { at: Date.now() / 1000, processor, isAsleep };
}

/** Of a process: its state, and the seconds of processors that it and its ended children used. */
export function readStat(text: string): { state: string; seconds: number } {
  // The name before is in brackets, and may contain spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const hundredths = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { state: fields[0] as string, seconds: hundredths / 100 };
}
