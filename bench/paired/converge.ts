import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheOf } from '../../config/home.js';
import { assertDone, deleteHosts, type Host, makeAccess, makeHosts, makeImage, trustHosts } from '../converge/hosts.js';
import { ours } from '../converge/ours.js';
import { median, time } from '../measure.js';
import type { Subject } from './subjects.js';

/**
 * The built command of either side, on three fresh hosts of its own each time:
 * the first run, then so many with nothing to do.
 */
export function convergeSubject(parameters: { ROUNDS: number }): Subject {
  let shared: { folder: string; image: string; access: Awaited<ReturnType<typeof makeAccess>> } | undefined;
  let count = 0;
  return {
    parameters,

    async measure(which, side) {
      shared ??= await prepare();
      const { folder, image, access } = shared;
      const name = `${which}-${++count}`;
      const own = join(folder, name);
      await mkdir(own);
      const peer = ours(name, side);
      let hosts: Host[] = [];
      try {
        hosts = await makeHosts(name, image);
        await trustHosts(access, hosts);
        const invocation = await peer.prepare({ folder: own, cache: join(cacheOf(), 'bench'), hosts, access });
        const first = (await time(invocation)).seconds;
        for (const host of hosts) await assertDone(host);
        const again: number[] = [];
        for (let round = 0; round <= parameters.ROUNDS; round++) {
          const run = await time(invocation);
          peer.assertIdle(run);
          // The first lets it warm up.
          if (round > 0) again.push(run.seconds);
        }
        return { 'first run': first, 'nothing to do': median(again), 'nothing to do, fastest': Math.min(...again) };
      } finally {
        await peer.close?.();
        await deleteHosts(undefined);
      }
    },

    async close() {
      if (!shared) return;
      await deleteHosts(shared.image);
      await rm(shared.folder, { recursive: true, force: true });
    },
  };
}

async function prepare() {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-'));
  const access = await makeAccess(folder);
  return { folder, access, image: await makeImage(folder) };
}
