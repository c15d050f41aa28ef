/** An activity of an operation, as Temporal tells one from another: tried again it keeps its id. */
export interface WorkNote {
  operation: string;
  /** Temporal's id of the activity. */
  activity: string;
  /** Its name: `act`. */
  type: string;
}

/** An activity that was at work when a worker died, and how often. */
export interface Suspect extends WorkNote {
  deaths: number;
  /** When that last was (ISO time). */
  last: string;
}

/** Suspicions about operations from the deaths of a home's workers. */
export interface WorkerDeaths {
  suspects: Suspect[];
  /** These are refused: the worker would die of them again. */
  setAside: Suspect[];
}

export const NO_DEATHS: WorkerDeaths = { suspects: [], setAside: [] };

/** So many deaths of the worker with an activity at work set it aside. */
export const DEATHS = 3;
/** From so many deaths on, operations under suspicion work one at a time, so that the next death tells which it was. */
export const WATCHED_FROM = DEATHS - 1;
/** So many set it aside also where no death told it from others. */
const DEATHS_BESIDE_OTHERS = 2 * DEATHS;
const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * Records the death of a worker with these activities at work. If some of them were watched, the others are not
 * suspected. Once one is set aside, the suspicion against the others ends, because its deaths explain theirs. After
 * one activity of an operation was set aside, its next one gets fewer than three deaths.
 *
 * @param now ISO time
 */
export function recordDeath({ suspects, setAside }: WorkerDeaths, atWork: readonly WorkNote[], now: string): WorkerDeaths {
  const known = new Map(suspects.map((one) => [keyOf(one), one]));
  const dead = [...new Map(atWork.map((note) => [keyOf(note), note])).values()];
  const deathsOf = (note: WorkNote) => known.get(keyOf(note))?.deaths ?? 0;
  const watched = dead.filter((note) => deathsOf(note) >= WATCHED_FROM);
  const blamed = (watched.length > 0 ? watched : dead).map((note): Suspect => ({ ...note, deaths: deathsOf(note) + 1, last: now }));
  const alone = new Set(blamed.map(({ operation }) => operation)).size === 1;
  const before = new Set(setAside.map(({ operation }) => operation));
  const guilty = blamed.filter(
    ({ deaths, operation }) => deaths >= DEATHS_BESIDE_OTHERS || (alone && (deaths >= DEATHS || before.has(operation))),
  );
  const fresh = ({ last }: Suspect) => Date.parse(now) - Date.parse(last) < KEPT_MS;
  if (guilty.length > 0) return { suspects: [], setAside: [...setAside.filter(fresh), ...guilty] };
  for (const suspect of blamed) known.set(keyOf(suspect), suspect);
  return { suspects: [...known.values()].filter(fresh), setAside: setAside.filter(fresh) };
}

/** Tells activities apart. */
export const keyOf = ({ operation, activity }: Pick<WorkNote, 'operation' | 'activity'>): string => `${activity} ${operation}`;
