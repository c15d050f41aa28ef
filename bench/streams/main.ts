/**
 * Cost of followers: CLIENTS clients (default 1000) follow OPERATIONS operations (50) on the demo provider, over HTTPS
 * through haproxy and two API servers. Prints how often each server looks at an operation, and each process' processor
 * time and memory for MEASURE_S seconds (30), next to those of the same operations without followers. PROFILE names a
 * folder for a CPU profile of each server. Needs haproxy and `npm run build`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { demoDefinition } from '../../test/support/definition.js';
import { demoAccount } from '../../test/support/demo.js';
import { startTestEngine } from '../../test/support/engine.js';
import { freePorts } from '../../test/support/free-ports.js';
import { startHaproxy } from '../../test/support/haproxy.js';
import { endAll, eventually, submit } from '../../test/support/operations.js';
import { childrenIn, killApiServer, startApiServer } from '../../test/support/remote-home.js';
import { cpuOf, secondsOf } from '../batch/cpu.js';
import { peakOf } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';
import type { LooksOfSecond } from './count-looks.js';
import { followBare, followOperations } from './followers.js';

const CLIENTS = Number(process.env.CLIENTS ?? 1_000);
const OPERATIONS = Number(process.env.OPERATIONS ?? 50);
const SECONDS = Number(process.env.MEASURE_S ?? 30);
const SERVERS = Number(process.env.SERVERS ?? 2);
/** How long a step takes, in milliseconds: half an event a second for each operation. */
const STEP_MS = Number(process.env.STEP_MS ?? 4_000);
/** The same until all follow, so that no operation ends before. */
const SLOW_MS = 5 * STEP_MS;
/** Streams of an account: half of a server's limit. */
const STREAMS_EACH = 50;
/** Goal for the processor time of both servers, in addition to the operations' own, in cores. */
const GOAL = 0.2;
const profileFolder = process.env.PROFILE;
/** Until a profile has begun, in milliseconds. */
const PROFILED_MS = 3_000;
/** Looks of a server at an operation, a second. */
const GOAL_LOOKS = 1;
/** A second, but for the time from the moment of a look to its request, in milliseconds. */
const GOAL_GAP_MS = 900;

const here = (name: string) => join(import.meta.dirname, name);
const looksFile = (folder: string, index: number) => join(folder, `looks-${index}.jsonl`);

const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
const stops: (() => Promise<unknown>)[] = [() => engine.stop()];
try {
  const ports = await freePorts(2);
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  // Compiled: a compiler in the servers would be measured with them.
  const counter = join(engine.home.root, 'count-looks.mjs');
  await build({ entryPoints: [here('count-looks.ts')], outfile: counter, format: 'esm', platform: 'node', logLevel: 'error' });
  const counts = { NODE_OPTIONS: `--import ${counter}` };
  const servers: ChildProcess[] = [];
  for (const [index, address] of addresses.entries()) {
    const LOOKS = looksFile(engine.home.root, index);
    const profiles = profileFolder ? { PROFILE: join(profileFolder, `server-${index}.cpuprofile`) } : {};
    servers.push(await startApiServer({ env: { ...engine.env, ...counts, ...profiles, LOOKS } }, address));
  }
  stops.push(() => Promise.all(servers.map(killApiServer)));
  const pids = servers.map((server) => childrenIn(server)[0]);
  const at = (name: string) => join(engine.home.engine, 'api', name);
  const pem = { certificate: at('server.pem'), key: at('server-key.pem'), authority: at('ca.pem') };
  const [first = '', second = ''] = addresses;
  const haproxy = await startHaproxy({ servers: { first, second }, idle: [30], pem });
  stops.push(() => haproxy.stop());

  const owner = await engine.client();
  const ca = await readFile(pem.authority, 'utf8');
  const connections = [];
  for (let index = 0; index < Math.ceil(CLIENTS / STREAMS_EACH); index++) {
    const account = `follower-${index}`;
    await owner.serviceAccounts.create({ account });
    await owner.serviceAccounts.bind({ account, role: 'viewer', workspace: '*' });
    const { token } = await owner.tokens.create({ account });
    connections.push({ url: haproxy.url(30), token, ca });
  }

  const account = demoAccount(engine);
  const step = (ms: number) => account.behave({ latencyMs: { 'host.step': ms } });
  const begin = async (round: string): Promise<string[]> => {
    await step(SLOW_MS);
    const definitionOf = (infra: string) =>
      demoDefinition(infra, { servers: [{ name: 'web', count: SERVERS }], taskservs: ['nginx', 'redis'] });
    const begun = await Promise.all(
      Array.from({ length: OPERATIONS }, (_, index) => {
        const infra = `${round}-${index}`;
        return submit(engine, { infra, definition: definitionOf(infra) });
      }),
    );
    const isAtWork = async () => {
      const progress = await owner.operations.progress({ operation: begun.at(-1) as string });
      if (!progress.cells.some(({ state }) => state === 'running')) throw new Error('it has not begun');
    };
    await eventually(isAtWork, 300_000, 1_000);
    return begun;
  };
  const spentNow = async () => ({
    ...(await cpuOf(engine)),
    servers: (await secondsOf(pids[0])) + (await secondsOf(pids[1])),
    haproxy: await secondsOf(haproxy.pid),
  });
  type Spent = Awaited<ReturnType<typeof spentNow>>;
  /** Cores that each process uses, and the counters in that time. */
  const measure = async (events: () => number, atBothEnds = () => {}) => {
    await step(STEP_MS);
    // Steps that began earlier keep their duration.
    await sleep(SLOW_MS);
    atBothEnds();
    // To begin a profile takes a processor for a moment.
    if (profileFolder) await sleep(PROFILED_MS);
    const before = await spentNow();
    const [from, eventsBefore] = [Date.now(), events()];
    await sleep(SECONDS * 1_000);
    const seconds = (Date.now() - from) / 1_000;
    const after = await spentNow();
    atBothEnds();
    const cores = Object.fromEntries(
      Object.entries(after).map(([name, one]) => [name, (one - before[name as keyof Spent]) / seconds]),
    );
    return { from, cores: cores as unknown as Spent, events: (events() - eventsBefore) / seconds };
  };

  await begin('alone');
  const alone = await measure(() => 0);
  await account.behave({});
  await endAll(engine);

  const operations = await begin('followed');
  const connecting = { from: Date.now(), spent: await spentNow() };
  const followers = await followOperations(connections, operations, CLIENTS);
  stops.push(() => followers.close());
  const connectSeconds = (Date.now() - connecting.from) / 1_000;
  const connected = (await spentNow()).servers - connecting.spent.servers;
  const isOver = async () => (await owner.operations.progress({ operation: operations[0] as string })).status === 'done';
  if (await isOver()) throw new Error('an operation ended before all clients followed it: raise STEP_MS on a busy machine');
  const followed = await measure(followers.events, () => {
    // Twice: it begins and ends a profile.
    if (profileFolder) for (const pid of pids) process.kill(pid as number, 'SIGUSR2');
  });
  const memory = pids.map((pid) => peakOf(pid));
  await account.behave({});
  await followers.ended();
  const asked = (await haproxy.ended()).filter(({ path }) => path.endsWith('/follow'));
  // A server without time takes no connection within haproxy's limit: the client asks again, and nothing was cut.
  const unopened = asked.filter(({ state }) => state.endsWith('C') || state.endsWith('H'));
  const cut = asked.filter((one) => one.state !== '--' && !unopened.includes(one));

  const { most, mean, shortest, queries } = await readLooks(engine.home.root, operations, followed.from);
  const streams = (await haproxy.ended()).filter(({ path }) => path.endsWith('/follow'));
  const bytes = streams.reduce((sum, one) => sum + one.bytes, 0) / Math.max(1, followers.events());
  const bare = await measureBare(followed.events / CLIENTS, bytes);
  const beside = followed.cores.servers - alone.cores.servers;

  process.stdout.write(`${machine()}; ${CLIENTS} clients of ${OPERATIONS} operations on ${SERVERS} servers each\n`);
  const cell = (value: number) => value.toFixed(3);
  const row = (name: keyof Spent) => [name, cell(alone.cores[name]), cell(followed.cores[name])];
  printTable(['cores', 'without followers', 'with followers'], [row('servers'), row('haproxy'), row('worker'), row('server')]);
  printTable(
    ['what', 'figure', 'goal'],
    [
      ['looks of a server at an operation, a second: mean, most', `${cell(mean)}, ${most}`, `${GOAL_LOOKS}`],
      ['milliseconds between two looks of a server at an operation, least', `${shortest}`, `${GOAL_GAP_MS}`],
      ['queries of both servers, a second', cell(queries), ''],
      ['cores of both servers beside the operations', cell(beside), `${GOAL}`],
      ['TLS and writes: a bare route of hono with as many bytes', cell(bare), ''],
      ['events to clients, a second', followed.events.toFixed(0), ''],
      ['bytes of an event', bytes.toFixed(0), ''],
      ['most memory of each server, MiB', memory.map((one) => one.toFixed(0)).join(', '), ''],
      ['seconds to connect all clients; of the servers’ processors', `${connectSeconds.toFixed(1)}; ${connected.toFixed(1)}`, ''],
      ['streams that were cut, by their ends', describeEnds(cut), '0'],
      ['requests that haproxy could not give to a server in time, and that were repeated', describeEnds(unopened), ''],
    ],
  );
  const isReached = beside <= GOAL && mean <= GOAL_LOOKS && shortest >= GOAL_GAP_MS && cut.length === 0;
  process.stdout.write(isReached ? 'reached\n' : 'MISSED\n');
  await keepResult('streams', {
    ...{ clients: CLIENTS, operations: OPERATIONS, servers: SERVERS, stepMs: STEP_MS, seconds: SECONDS },
    ...{ alone: alone.cores, followed: followed.cores, looks: { mean, most, shortest, queries }, beside, bare, bytes, memory },
    ...{ events: followed.events, connectSeconds, connected, cut: cut.length, unopened: unopened.length },
  });

  /** Cores of a bare server that sends as much. */
  async function measureBare(rate: number, size: number): Promise<number> {
    const env = { ...process.env, RATE: String(rate), SIZE: String(size), CERTIFICATE: pem.certificate, KEY: pem.key };
    const child = spawn(process.execPath, ['--import', 'tsx', here('bare.ts')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    stops.push(async () => child.kill('SIGKILL'));
    let url = '';
    for await (const line of createInterface({ input: child.stdout })) {
      url = line;
      break;
    }
    const agent = new Agent({ ca, keepAlive: true });
    const open = await followBare(url, agent, CLIENTS);
    const before = await secondsOf(child.pid);
    const from = Date.now();
    await sleep(SECONDS * 1_000);
    const cores = ((await secondsOf(child.pid)) - before) / ((Date.now() - from) / 1_000);
    open.close();
    agent.destroy();
    return cores;
  }
} finally {
  for (const stop of stops.reverse()) await stop();
}

/** `3: 2 sD, 1 CD`, by haproxy's termination state. */
function describeEnds(all: readonly { state: string }[]): string {
  const counts = new Map<string, number>();
  for (const { state } of all) counts.set(state, (counts.get(state) ?? 0) + 1);
  const each = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
  return all.length === 0 ? '0' : `${all.length}: ${each}`;
}

/** Looks of one server at one operation in a second, the milliseconds between two of them, and all queries a second. */
interface Looks {
  most: number;
  mean: number;
  shortest: number;
  queries: number;
}

/** Reads what the servers counted about these operations since a time. */
async function readLooks(folder: string, operations: readonly string[], from: number): Promise<Looks> {
  const all = await Promise.all(
    [0, 1].map(async (index) => {
      const lines = (await readFile(looksFile(folder, index), 'utf8')).trim().split('\n');
      const seconds = lines.map((line) => JSON.parse(line) as LooksOfSecond);
      return seconds.filter(({ at }) => at > from / 1_000 && at <= from / 1_000 + SECONDS);
    }),
  );
  const ofOne = all.flatMap((seconds) => seconds.flatMap(({ looks }) => operations.map((operation) => looks[operation] ?? 0)));
  const sum = ofOne.reduce((total, one) => total + one, 0);
  const queries = all.flat().reduce((total, one) => total + one.queries, 0);
  const gaps = all.flatMap((seconds) => seconds.flatMap(({ gaps }) => operations.map((one) => gaps[one] ?? Infinity)));
  const mean = sum / Math.max(1, ofOne.length);
  return { most: Math.max(0, ...ofOne), mean, shortest: Math.min(...gaps), queries: queries / SECONDS };
}
