import { expect, test } from 'vitest';
import { LANES, type Lanes, lanesOf, type Spent, takeLane } from './lanes.js';

/** Simulates processors with these idle shares in turn; the last one continues. */
function machine(...idle: number[]) {
  const spent: Spent = { idle: 0, all: 0 };
  let watched = -1;
  const read = (): Spent => {
    if (watched >= 0) {
      spent.all += 1_000;
      spent.idle += 1_000 * (idle[watched] ?? idle.at(-1) ?? 0);
    }
    watched += 1;
    return { ...spent };
  };
  return { read, watched: () => watched };
}

/** Simulates this number of playing processes in turn; the last one continues. */
function others(...playing: number[]): Lanes & { taken: number } {
  let asked = 0;
  const lanes = {
    taken: 0,
    take: async () => void lanes.taken++,
    leave: async () => {},
    count: async () => playing[asked++] ?? playing.at(-1) ?? 0,
    clear: async () => {},
  };
  return lanes;
}

test('the first ones wait for nothing', async () => {
  const busy = machine(0);
  const lanes = others(99);
  for (const number of [1, LANES]) await takeLane(number, lanes, busy.read, 0);
  expect([lanes.taken, busy.watched()]).toEqual([2, 1]);
});

test('a further one begins once the processors are idle, and not before', async () => {
  const busyFirst = machine(0, 0.1, 0.5);
  const lanes = others(LANES);
  await takeLane(LANES + 1, lanes, busyFirst.read, 0);
  expect([lanes.taken, busyFirst.watched()]).toEqual([1, 3]);
});

test('a further one begins when one of the first ends, however busy the processors are', async () => {
  const busy = machine(0);
  const lanes = others(LANES, LANES, LANES - 1);
  await takeLane(LANES + 2, lanes, busy.read, 0);
  expect([lanes.taken, busy.watched()]).toEqual([1, 2]);
});

test('processes of a run that play are counted, and those that are gone are not', async () => {
  const run = -process.pid;
  expect(await lanesOf(run).count()).toBe(0);
  await lanesOf(run, process.pid).take();
  // Linux has no process with this number.
  await lanesOf(run, 2 ** 30).take();
  await lanesOf(run, process.ppid).take();
  expect([await lanesOf(run).count(), await lanesOf(run).count()]).toEqual([2, 2]);
  await lanesOf(run, process.pid).leave();
  await lanesOf(run, process.pid).leave();
  expect(await lanesOf(run).count()).toBe(1);
  await lanesOf(run).clear();
  expect(await lanesOf(run).count()).toBe(0);
});

test('a process that has played a file does not count itself when it begins the next one', async () => {
  const run = -process.pid - 1;
  const lanes = lanesOf(run, process.pid);
  for (const pid of [process.pid, process.ppid]) await lanesOf(run, pid).take();
  const busy = machine(0);
  // With itself there are as many as always play.
  await lanesOf(run, 1).take();
  expect(await lanes.count()).toBe(LANES);
  await takeLane(LANES + 1, lanes, busy.read, 0);
  expect([await lanes.count(), busy.watched()]).toEqual([LANES, 0]);
  await lanes.clear();
});
