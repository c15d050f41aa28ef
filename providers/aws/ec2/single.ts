import { setTimeout as sleep } from 'node:timers/promises';

/** How often what was just made is looked for, before it is believed to be there all the same. */
const LOOKS = 10;

interface Single<T> {
  find(): Promise<T[]>;
  make(): Promise<T>;
  id(thing: T): string;
  /** Already part of something: it stays whatever else there is. */
  isUsed(thing: T): boolean;
  remove(thing: T): Promise<unknown>;
  pollMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Makes what AWS takes no token for, once: looks before, and looks again after, since
 * a thing that an earlier try made may not have been seen before. Of several the one in
 * use stays, else the one of the lowest id, which every try finds to be the same.
 */
export async function ensureSingle<T>({ find, make, id, isUsed, remove, pollMs, signal }: Single<T>): Promise<T> {
  const there = await find();
  const made = there.length > 0 ? undefined : await make();
  const all = made ? await findWith(made) : there;
  const [first, ...doubles] = all.sort((a, b) => Number(isUsed(b)) - Number(isUsed(a)) || (id(a) < id(b) ? -1 : 1));
  for (const double of doubles) if (!isUsed(double)) await remove(double);
  return first as T;

  async function findWith(own: T): Promise<T[]> {
    for (let looks = 0; looks < LOOKS; looks++) {
      const found = await find();
      if (found.some((thing) => id(thing) === id(own))) return found;
      await sleep(pollMs / 4, undefined, { signal });
    }
    return [own];
  }
}

/** Runs what is of one name one after the other: two calls at once find each other's work. */
export function turns(): <T>(name: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, run) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(run, run);
    last.set(name, mine);
    const leave = () => {
      if (last.get(name) === mine) last.delete(name);
    };
    mine.then(leave, leave);
    return mine;
  };
}
