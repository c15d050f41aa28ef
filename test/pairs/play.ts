import type { TestEngine } from '../support/engine.js';
import { startShellHost } from '../support/shell-host.js';
import { choosePairs, type Meeting } from './choose.js';
import { type Met, meet } from './meet.js';
import { mayMeet, services, touchedBy } from './services.js';

export type Touches = Map<string, ReadonlySet<string>>;

/** Plays meetings, so many at a time, each on its own host. The results are in the order of their ends. */
export async function meetAll(
  engine: TestEngine,
  meetings: readonly Meeting[],
  lanes: number,
  onMet: (met: Met) => void = () => {},
): Promise<Met[]> {
  const left = [...meetings];
  const all: Met[] = [];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const met = await meet(engine, next, `pairs-${process.pid}-${next.join('-')}`);
      all.push(met);
      onMet(met);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return all;
}

/**
 * Runs each service separately, then the chosen pairs.
 *
 * @param among only these services
 * @param reversed puts the second service of a pair first in its definitions
 */
export async function meetAsChosen(
  engine: TestEngine,
  { lanes, seed, reversed, among = services }: { lanes: number; seed: number; reversed: boolean; among?: readonly string[] },
  onMet: (met: Met) => void,
): Promise<{ met: Met[]; touches: Touches }> {
  const alone = await meetAll(
    engine,
    among.map((name): Meeting => [name]),
    lanes,
    onMet,
  );
  const touches = await touchedOn(alone);
  const chosen = choosePairs(among, { mayMeet, touches, seed });
  const pairs = reversed ? chosen.map(([a, b]): Meeting => (b === undefined ? [a] : [b, a])) : chosen;
  return { met: [...alone, ...(await meetAll(engine, pairs, lanes, onMet))], touches };
}

/** Returns the declared resources of each service, and the packages that its installation added, with dependencies. */
async function touchedOn(alone: readonly Met[]): Promise<Touches> {
  const host = await startShellHost();
  try {
    const before = new Set((await host.shell(`dpkg-query -W -f '\${Package}\\n'`)).split('\n'));
    return new Map(
      alone.map(({ meeting: [name], packages }) => {
        const brought = packages.filter((one) => !before.has(one)).map((one) => `package ${one}`);
        return [name, new Set([...touchedBy(name), ...brought])];
      }),
    );
  } finally {
    await host.remove();
  }
}
