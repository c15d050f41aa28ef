/**
 * Compares the first install of nginx, redis and postgres on three fresh hosts with a bare script over ssh, in paired
 * rounds. Each side has fresh hosts of the same image in each round, with downloaded packages, and begins every other
 * round. Needs `npm run build`, root and a Docker Engine. `ROUNDS` (5); `HOSTS` and `SERVICES` are those of
 * bench:converge.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheOf } from '../../home/home.js';
import { bareSsh } from '../converge/bare-ssh.js';
import {
  type Access,
  assertDone,
  deleteContainers,
  deleteHosts,
  makeAccess,
  makeHosts,
  makeImage,
  trustHosts,
} from '../converge/hosts.js';
import { ours } from '../converge/ours.js';
import type { Peer } from '../converge/peer.js';
import { addSpent, processorOf } from '../converge/processor.js';
import { median, time } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const GOAL = 0.9;

/**
 * Seconds of one install: wall clock, and processor time including the hosts, which other work on the machine affects
 * less.
 */
interface Install {
  seconds: number;
  processor: number;
}

interface Round {
  ours: Install;
  bare: Install;
  ratio: number;
  processorRatio: number;
  /** Load average at the start. */
  load: number;
}

const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-'));
let image: string | undefined;
let stopped = false;
process.once('SIGINT', () => {
  stopped = true;
});

try {
  const access = await makeAccess(folder);
  image = await makeImage(folder);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS && !stopped; round++) rounds.push(await pairedRound(round, access, image));
  if (!stopped) await report(rounds);
} finally {
  await deleteHosts(image);
  await rm(folder, { recursive: true, force: true });
}

async function pairedRound(round: number, access: Access, from: string): Promise<Round> {
  const load = loadavg()[0] ?? 0;
  const sides = { ours: ours(), bare: bareSsh };
  const order = round % 2 === 1 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const);
  const none = { seconds: 0, processor: 0 };
  const taken = { ours: none, bare: none };
  for (const side of order) taken[side] = await firstInstall(sides[side], `${round}-${side}`, access, from);
  const { ours: own, bare } = taken;
  const ratio = own.seconds / bare.seconds;
  const processorRatio = own.processor / bare.processor;
  say(`round ${round}, ${order[0]} first: ${own.seconds.toFixed(1)} s / ${bare.seconds.toFixed(1)} s = ${ratio.toFixed(3)}`);
  return { ...taken, ratio, processorRatio, load };
}

/** Measures the first install on fresh hosts, and removes them. */
async function firstInstall(peer: Peer, name: string, access: Access, from: string): Promise<Install> {
  const own = join(folder, name);
  await mkdir(own);
  const hosts = await makeHosts(name, from);
  try {
    await trustHosts(access, hosts);
    const invocation = await peer.prepare({ folder: own, cache: join(cacheOf(), 'bench'), hosts, access });
    const before = await processorOf(peer, hosts);
    const { seconds } = await time(invocation);
    const spent: Record<string, number> = {};
    addSpent(spent, before, await processorOf(peer, hosts));
    for (const host of hosts) await assertDone(host);
    return { seconds, processor: Object.values(spent).reduce((sum, part) => sum + part, 0) };
  } finally {
    await peer.close?.();
    await deleteContainers();
  }
}

async function report(rounds: Round[]): Promise<void> {
  const ratio = median(rounds.map((round) => round.ratio));
  say(`${machine()}; first install, ${ROUNDS} paired rounds`);
  const row = ({ ours, bare, ratio, processorRatio, load }: Round, index: number) => [
    String(index + 1),
    ...[ours.seconds, bare.seconds].map((seconds) => `${seconds.toFixed(1)} s`),
    ratio.toFixed(3),
    ...[ours.processor, bare.processor].map((seconds) => `${seconds.toFixed(1)} s`),
    processorRatio.toFixed(3),
    load.toFixed(1),
  ];
  printTable(['round', 'ours', 'bare ssh', 'ratio', 'processor: ours', 'bare ssh', 'ratio', 'load'], rounds.map(row));
  say(`median of the ratios of processor time: ${median(rounds.map((round) => round.processorRatio)).toFixed(3)}`);
  say(`median of the ratios: ${ratio.toFixed(3)}; at most ${GOAL}: ${ratio <= GOAL ? 'reached' : 'MISSED'}`);
  say(
    `kept in ${await keepResult('first-install', {
      goal: GOAL,
      ratio,
      processorRatio: median(rounds.map((round) => round.processorRatio)),
      rounds,
    })}`,
  );
}
