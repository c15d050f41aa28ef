import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProvisioningError } from '../../../core/errors.js';
import { readRecord } from '../../../workers/engine/record.js';
import { makeAuthority } from '../../support/certificates.js';
import { startTestEngine, type TestEngine } from '../../support/engine.js';
import { plainEngine } from '../../support/temporal-cli.js';
import { type Mishap, startTlsFront } from '../../support/tls-front.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { judgeWell, prepare, SLOW } from './demo-work.js';

/**
 * Transient status codes of services: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL,
 * UNAVAILABLE.
 */
const STATUSES = [1, 2, 4, 8, 10, 13, 14];

/**
 * Maximum duration in milliseconds. Temporal dispatches a task again ten seconds or more after its delivery was lost.
 */
const SETTLE_MS = 300_000;

type Failing = (path: string) => Mishap | undefined;

/** Setter of the current failure, by engine. */
const failing = new WeakMap<TestEngine, (how?: Failing) => void>();

/** Starts an engine whose worker and commands reach Temporal through a proxy that makes calls fail. */
async function behindProxy(): Promise<TestEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  const behind = await startTestEngine(await plainEngine());
  await behind.killWorker();
  const { address: to = '' } = (await readRecord(behind.home)) ?? {};
  const authority = await makeAuthority(folder, 'proxy');
  let how: Failing | undefined;
  const front = await startTlsFront({ ...(await authority.sign('server')), to, fault: (path) => how?.(path) });
  const engine = await startTestEngine({ TEMPORAL_ADDRESS: front.address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.cert });
  failing.set(engine, (now) => {
    how = now;
  });
  const { stop } = engine;
  return Object.assign(engine, {
    async stop() {
      how = undefined;
      await stop();
      await front.close();
      await behind.stop();
      await rm(folder, { recursive: true });
    },
  });
}

/** Makes each call fail once with each status before its execution, and once after it: then the answer is lost. */
function eachOnce(): Failing {
  const left = new Map<string, Mishap[]>();
  return (path) => {
    const all = () => STATUSES.flatMap((status) => [{ status }, { status, done: true }]);
    if (!left.has(path)) left.set(path, all());
    return left.get(path)?.shift();
  };
}

/** Makes one call in ten fail. */
const tenth =
  ({ random, pick }: { random: () => number; pick: (list: readonly number[]) => number }): Failing =>
  () =>
    random() < 0.1 ? { status: pick(STATUSES), done: random() < 0.5 } : undefined;

/** Submits until it is acknowledged. After an unclear result it submits again under the same id. */
async function submitThrough(stage: Stage, wish: Parameters<Stage['request']>[0]): Promise<void> {
  const request = stage.request(wish);
  for (;;) {
    try {
      await (await stage.engine.client()).operations.submit({ request });
      break;
    } catch (error) {
      const { code = '' } = error instanceof ProvisioningError ? error.details : {};
      if (code === 'operation-exists') break;
      if (!code.startsWith('engine-')) throw error;
      await sleep(200);
    }
  }
  stage.operations.push(request.id);
}

async function round(stage: Stage, how: Failing): Promise<void> {
  const fail = failing.get(stage.engine);
  const work = await prepare(stage);
  await stage.account.behave({ latencyMs: SLOW });
  fail?.(how);
  stage.strike();
  try {
    await submitThrough(stage, work.wish);
    await stage.settled(SETTLE_MS);
  } finally {
    fail?.();
  }
  await stage.restart();
  await judgeWell(stage, work);
}

export const mishaps: Fault[] = [
  {
    name: 'grpc-each-once',
    about: "every call to Temporal's service fails once with each status that passes, before or after it is done",
    on: 'demo',
    engine: behindProxy,
    long: true,
    round: (stage) => round(stage, eachOnce()),
  },
  {
    name: 'grpc-tenth',
    about: "one in ten calls to Temporal's service fails, before or after it is done",
    on: 'demo',
    engine: behindProxy,
    long: true,
    round: (stage) => round(stage, tenth({ random: () => stage.random(), pick: (list) => stage.pick(list) })),
  },
];
