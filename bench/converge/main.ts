/**
 * Measures first runs and runs with nothing to do on three hosts with nginx, redis and postgres, health checks
 * included. It compares the built command with peers that do the same on their own hosts, in one run. Needs
 * `npm run build`, root and a Docker Engine. `ROUNDS` (7); `HOSTS` (3) and `SERVICES` (nginx,redis,postgres) reduce the
 * size, and `PEERS` (ansible,pyinfra,bare ssh) selects the peers.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheOf } from '../../home/home.js';
import { type Invocation, median, time } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';
import { ansible } from './ansible.js';
import { bareSsh } from './bare-ssh.js';
import { assertDone, deleteHosts, type Host, makeAccess, makeHosts, makeImage, trustHosts } from './hosts.js';
import { ours } from './ours.js';
import type { Peer } from './peer.js';
import { addSpent, processorOf } from './processor.js';
import { pyinfra } from './pyinfra.js';

const ROUNDS = Number(process.env.ROUNDS ?? 7);

interface Entry {
  peer: Peer;
  hosts: Host[];
  invocation: Invocation;
  first: number;
  again: number[];
  /** Processor time in all counted rounds, in seconds, by process. */
  processor: Record<string, number>;
}

// Node reads all certificates of this file at every start, which takes two thirds of the start's time. The file belongs
// to the measuring machine, and no peer reads it.
delete process.env.NODE_EXTRA_CA_CERTS;

const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-'));
const entries: Entry[] = [];
const product = ours();
const others = [ansible, pyinfra, bareSsh];
const peers: Peer[] = [product, ...others.filter(({ name }) => (process.env.PEERS ?? name).split(',').includes(name))];
let image: string | undefined;
let stopped = false;

process.once('SIGINT', () => {
  stopped = true;
});

try {
  await prepare();
  await firstRuns();
  await againInTurn();
  if (!stopped) await report();
} finally {
  for (const peer of peers) await peer.close?.().catch((error) => say(`close ${peer.name}: ${error.message}`));
  await deleteHosts(image);
  await rm(folder, { recursive: true, force: true });
}

async function prepare(): Promise<void> {
  say('preparing: image, hosts, peers');
  const access = await makeAccess(folder);
  image = await makeImage(folder);
  const sets: Host[][] = [];
  for (const peer of peers) sets.push(await makeHosts(peer.name.replaceAll(' ', '-'), image));
  await trustHosts(access, sets.flat());
  for (const [index, peer] of peers.entries()) {
    const hosts = sets[index] as Host[];
    const own = join(folder, peer.name.replaceAll(' ', '-'));
    await mkdir(own);
    const invocation = await peer.prepare({ folder: own, cache: join(cacheOf(), 'bench'), hosts, access });
    entries.push({ peer, hosts, invocation, first: 0, again: [], processor: {} });
  }
}

/** Performs the first runs in sequence, while the other peers are idle. */
async function firstRuns(): Promise<void> {
  for (const entry of entries) {
    if (stopped) return;
    entry.first = (await time(entry.invocation)).seconds;
    say(`first run: ${entry.peer.name}: ${entry.first.toFixed(2)} s`);
    for (const host of entry.hosts) await assertDone(host);
  }
}

/** Performs the further runs. Round 0 is a warm-up and does not count. */
async function againInTurn(): Promise<void> {
  for (let round = 0; round <= ROUNDS; round++) {
    // The order alternates too.
    for (const { peer, hosts, invocation, again, processor } of round % 2 === 0 ? entries : entries.toReversed()) {
      if (stopped) return;
      const before = await processorOf(peer, hosts);
      const run = await time(invocation);
      peer.assertIdle(run);
      if (round === 0) continue;
      again.push(run.seconds);
      addSpent(processor, before, await processorOf(peer, hosts));
    }
    say(`round ${round} of ${ROUNDS}`);
  }
}

async function report(): Promise<void> {
  const rows = entries.map(({ peer, first, again, processor }) => ({
    peer: peer.name,
    goal: peer.goal,
    first,
    again: median(again),
    runs: again,
    // Ratios within a round: the speed of the machine differs between rounds.
    ratio: median(again.map((seconds, round) => (entries[0]?.again[round] ?? 0) / seconds)),
    processor: Object.fromEntries(Object.entries(processor).map(([name, seconds]) => [name, seconds / again.length])),
  }));
  const own = rows[0] as (typeof rows)[number];
  const lasted = median((await product.lasted?.(ROUNDS)) ?? [0]) / 1_000;
  say(`${machine()}; load ${loadavg()[0]?.toFixed(1)}; nothing to do: medians of ${ROUNDS} rounds, in turn, and of their ratios`);
  printTable(
    ['', 'first run', 'ours / theirs', 'nothing to do', 'fastest', 'ours / theirs', 'goal'],
    rows.map((row) => [
      row.peer,
      `${row.first.toFixed(1)} s`,
      row === own ? '' : (own.first / row.first).toFixed(2),
      `${row.again.toFixed(2)} s`,
      `${Math.min(...row.runs).toFixed(2)} s`,
      row === own ? '' : row.ratio.toFixed(3),
      row.goal === undefined ? '' : `at most ${row.goal}: ${row.ratio <= row.goal ? 'reached' : 'MISSED'}`,
    ]),
  );
  const parts = ['command', 'worker', 'server', 'hosts'];
  const ms = (seconds: number | undefined) => (seconds === undefined ? '' : `${Math.round(seconds * 1_000)} ms`);
  say(`processor time of a run with nothing to do; our operation itself lasts ${ms(lasted)}, the rest is the command`);
  printTable(
    ['', ...parts],
    rows.map(({ peer, processor }) => [peer, ...parts.map((part) => ms(processor[part]))]),
  );
  const kept = rows.map(({ peer, goal, first, again, runs, ratio, processor }) => ({
    peer,
    firstSeconds: first,
    againSeconds: again,
    againFastestSeconds: Math.min(...runs),
    ...(goal === undefined ? {} : { ratio, goal }),
    processorSeconds: processor,
  }));
  say(`kept in ${await keepResult('converge', { rounds: ROUNDS, load: loadavg()[0], operationSeconds: lasted, peers: kept })}`);
}
