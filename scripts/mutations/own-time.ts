import { readdirSync, readFileSync } from 'node:fs';

/** State of a process tree at a moment. */
export interface Sample {
  /** Seconds. */
  at: number;
  /** Processor seconds of the tree. */
  processor: number;
  /** Whether all processes wait for something other than a processor. */
  isAsleep: boolean;
}

/** Returns the seconds that the tree used between two moments, without the time in which it waited for a processor. */
export const ownSeconds = (before: Sample, now: Sample): number =>
  Math.max(0, now.processor - before.processor, now.isAsleep ? now.at - before.at : 0);

/** Time used by a process and its children since its clock started, in seconds. */
export interface Used {
  /** Own time of the process, which stops while other processes have the processors. */
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

/** Returns the state of a process, and the processor seconds that it and its ended children used. */
export function readStat(text: string): { state: string; seconds: number } {
  // The name before is in brackets, and may contain spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const hundredths = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { state: fields[0] as string, seconds: hundredths / 100 };
}
