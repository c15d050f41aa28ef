import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheOf } from '../../home/home.js';
import { bareSsh } from '../converge/bare-ssh.js';
import {
  type Access,
  assertDone,
  deleteHosts,
  HOSTS,
  type Host,
  makeAccess,
  makeHosts,
  makeImage,
  trustHosts,
} from '../converge/hosts.js';
import { ours } from '../converge/ours.js';
import type { Peer } from '../converge/peer.js';
import { addSpent, processorOf } from '../converge/processor.js';
import { pyinfra } from '../converge/pyinfra.js';
import { TASKSERVS } from '../converge/work.js';
import { type Invocation, median, time } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Inotify instances of a container with systemd; the kernel's limit applies to all containers together. */
const INSTANCES = 8;

/** Maximum ratios of our time to each peer's time. */
const GOALS: Record<string, number> = { pyinfra: 0.5, 'bare ssh': 1 };
const PARTS = ['command', 'worker', 'server', 'hosts'];

interface Entry {
  peer: Peer;
  invocation: Invocation;
  seconds: number[];
  /** Processor time in all counted rounds, in seconds, by process. */
  processor: Record<string, number>;
}

const say = (text: string) => process.stdout.write(`${text}\n`);
const product = ours();
const others = [pyinfra, bareSsh].filter(({ name }) => (process.env.PEERS ?? name).split(',').includes(name));
const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-'));
const images: string[] = [];

try {
  await refuseFewInstances();
  const access = await makeAccess(folder);
  images.push(await makeImage(folder));
  images.push(await installed(access, images[0] as string));
  const hosts = await makeHosts('many', images[1] as string);
  await trustHosts(access, hosts);
  const entries: Entry[] = [];
  for (const peer of [product, ...others]) {
    entries.push({ peer, invocation: await prepared(peer, hosts, access), seconds: [], processor: {} });
  }
  await settle(entries, hosts);
  await inTurn(entries, hosts);
  await report(entries);
} finally {
  await product.close?.();
  for (const image of images.toReversed()) await deleteHosts(image);
  await rm(folder, { recursive: true, force: true });
}

async function refuseFewInstances(): Promise<void> {
  const name = 'fs.inotify.max_user_instances';
  const most = Number(await readFile('/proc/sys/fs/inotify/max_user_instances', 'utf8'));
  const needed = 64 + INSTANCES * HOSTS.length;
  if (most < needed) throw new Error(`start ${HOSTS.length} hosts: ${name} is ${most}: run sysctl -w ${name}=${needed}`);
}

/** Builds an image of a host with the services installed by the bare script. */
async function installed(access: Access, from: string): Promise<string> {
  const hosts = await makeHosts('first', from, HOSTS.slice(0, 1));
  await trustHosts(access, hosts);
  await time(await prepared(bareSsh, hosts, access));
  const { container } = hosts[0] as Host;
  const image = `provisioning-bench-many:${process.pid}`;
  // Stopped, so that the data of the services is complete.
  await execa('docker', ['stop', '-t', '60', container]);
  await execa('docker', ['commit', container, image]);
  await execa('docker', ['rm', '-f', '-v', container]);
  return image;
}

async function prepared(peer: Peer, hosts: Host[], access: Access): Promise<Invocation> {
  const own = await mkdtemp(join(folder, `${peer.name.replaceAll(' ', '-')}-`));
  const cache = join(cacheOf(), 'bench');
  await mkdir(cache, { recursive: true });
  return peer.prepare({ folder: own, cache, hosts, access });
}

/** Runs each peer once: ours adopts the hosts, and every peer makes its own changes. */
async function settle(entries: Entry[], hosts: Host[]): Promise<void> {
  for (const { peer, invocation } of entries.toReversed()) {
    say(`first run: ${peer.name}: ${(await time(invocation)).seconds.toFixed(1)} s`);
  }
  await assertDone(hosts[0] as Host);
  await assertDone(hosts.at(-1) as Host);
}

/** Runs the peers in turn. Round 0 is a warm-up and does not count. */
async function inTurn(entries: Entry[], hosts: Host[]): Promise<void> {
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { peer, invocation, seconds, processor } of round % 2 === 0 ? entries : entries.toReversed()) {
      const before = await processorOf(peer, hosts);
      const run = await time(invocation);
      peer.assertIdle(run);
      if (round === 0) continue;
      seconds.push(run.seconds);
      addSpent(processor, before, await processorOf(peer, hosts));
    }
    say(`round ${round} of ${ROUNDS}: ${entries.map(({ seconds }) => (seconds.at(-1) ?? 0).toFixed(2)).join(', ')} s`);
  }
}

async function report(entries: Entry[]): Promise<void> {
  const own = entries[0] as Entry;
  const rows = entries.map(({ peer, seconds, processor }) => ({
    peer: peer.name,
    seconds: median(seconds),
    fastest: Math.min(...seconds),
    // Ratios within a round: the speed of the machine differs between rounds.
    ratio: median(own.seconds.map((one, round) => one / (seconds[round] ?? 1))),
    goal: GOALS[peer.name],
    processor: Object.fromEntries(PARTS.map((part) => [part, (processor[part] ?? 0) / seconds.length])),
  }));
  const lasted = median((await product.lasted?.(ROUNDS)) ?? [0]) / 1_000;
  const size = { hosts: HOSTS.length, services: TASKSERVS.length, rounds: ROUNDS };
  say(`${machine()}; load ${loadavg()[0]?.toFixed(1)}; ${size.hosts} hosts, ${size.services} services on each`);
  say(`nothing to do: medians of ${ROUNDS} rounds, in turn; our operation itself lasts ${lasted.toFixed(2)} s`);
  printTable(
    ['', 'time', 'fastest', 'ours / theirs', 'goal', ...PARTS.map((part) => `processor: ${part}`)],
    rows.map(({ peer, seconds, fastest, ratio, goal, processor }) => [
      peer,
      `${seconds.toFixed(2)} s`,
      `${fastest.toFixed(2)} s`,
      goal === undefined ? '' : ratio.toFixed(3),
      goal === undefined ? '' : `at most ${goal}: ${ratio <= goal ? 'reached' : 'MISSED'}`,
      ...PARTS.map((part) => `${(processor[part] ?? 0).toFixed(2)} s`),
    ]),
  );
  say(`kept in ${await keepResult('many-hosts', { ...size, load: loadavg()[0], operationSeconds: lasted, peers: rows })}`);
}
