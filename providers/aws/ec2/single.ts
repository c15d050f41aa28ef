import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum number of lookups after which a created resource is assumed to exist. */
const LOOKS = 10;

interface Single<T> {
  find(): Promise<T[]>;
  make(): Promise<T>;
  id(thing: T): string;
  /** Whether something uses it: a used resource always stays. */
  isUsed(thing: T): boolean;
  remove(thing: T): Promise<unknown>;
  pollMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Creates a resource without idempotency token at most once. It looks before and after the creation, because a resource
 * of an earlier attempt may become visible late. The resource in use stays, otherwise the one with the lowest id, which
 * is the same for every attempt.
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

/** Runs calls of one name in sequence, so that concurrent calls find each other's results. */
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
