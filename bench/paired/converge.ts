import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheOf, type Home, homeOf } from '../../home/home.js';
import { cpuOf, secondsOfEnded } from '../batch/cpu.js';
import { type Access, assertDone, deleteHosts, makeAccess, makeHosts, makeImage, trustHosts } from '../converge/hosts.js';
import { ours } from '../converge/ours.js';
import type { Peer } from '../converge/peer.js';
import { type Invocation, median, time } from '../measure.js';
import type { Side } from './sides.js';
import type { Subject } from './subject.js';

interface Shared {
  folder: string;
  image: string;
  access: Access;
}

interface Prepared {
  peer: Peer;
  invocation: Invocation;
  home: Home;
}

/**
 * Measures the built command of either side on three separate hosts. It runs the first run once, like `bench:converge`,
 * and several runs with nothing to do in each round.
 */
export function convergeSubject(parameters: { ROUNDS: number }): Subject {
  let shared: Shared | undefined;
  const sides = new Map<string, Prepared>();

  async function again({ peer, invocation }: Prepared): Promise<number> {
    const run = await time(invocation);
    peer.assertIdle(run);
    return run.seconds;
  }

  /** Returns the processor time of the command, the worker and the server, without the hosts. */
  async function processor(prepared: Prepared): Promise<number> {
    const { worker, server } = await cpuOf(prepared);
    return worker + server + (await secondsOfEnded());
  }

  return {
    parameters,

    async measure(which, side) {
      shared ??= await share();
      const known = sides.get(which);
      const { first, ...prepared } = known ? { ...known, first: undefined } : await firstRun(which, side, shared);
      sides.set(which, prepared);
      // Warm up after the other side's turn.
      await again(prepared);
      const runs: number[] = [];
      const before = await processor(prepared);
      while (runs.length < parameters.ROUNDS) runs.push(await again(prepared));
      const figures = {
        'nothing to do': median(runs),
        'fastest of them': Math.min(...runs),
        processor: ((await processor(prepared)) - before) / runs.length,
      };
      return first === undefined ? figures : { ...figures, 'first run': first };
    },

    async close() {
      for (const { peer } of sides.values()) await peer.close?.();
      if (!shared) return;
      await deleteHosts(shared.image);
      await rm(shared.folder, { recursive: true, force: true });
    },
  };
}

async function share(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-'));
  const access = await makeAccess(folder);
  return { folder, access, image: await makeImage(folder) };
}

async function firstRun(name: string, side: Side, { folder, image, access }: Shared): Promise<Prepared & { first: number }> {
  const own = join(folder, name);
  await mkdir(own);
  const peer = ours(name, side);
  const hosts = await makeHosts(name, image);
  await trustHosts(access, hosts);
  const invocation = await peer.prepare({ folder: own, cache: join(cacheOf(), 'bench'), hosts, access });
  try {
    const first = (await time(invocation)).seconds;
    for (const host of hosts) await assertDone(host);
    return { peer, invocation, home: homeOf({ PROVISIONING_HOME: join(own, 'home') }), first };
  } catch (error) {
    await peer.close?.();
    throw error;
  }
}
