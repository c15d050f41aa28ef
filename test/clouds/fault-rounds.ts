import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProvisioningError } from '../../core/errors.js';
import type { CallContext } from '../../core/machine/call-context.js';
import type { AnyProvider, ProviderConnection, WantedServer } from '../../core/machine/provider.js';
import { hostAccess } from '../contracts/host-access.js';
import { seededRandom } from '../support/random.js';
import { FAULTS, type Fault, type FaultScript } from './fault-script.js';

/** New, empty account of a stand-in. */
export interface FaultStage {
  faults: FaultScript;
  /** Connects like another process that takes over the work, without any state. */
  connect(): Promise<ProviderConnection>;
  /** Returns the current number of servers with this name. */
  count(name: string): number | Promise<number>;
  /** Lists the remaining resources. */
  left(): string[] | Promise<string[]>;
  close(): Promise<void>;
}

export interface FaultSubject {
  provider: AnyProvider;
  open(): Promise<FaultStage>;
}

const OPERATIONS = ['create', 'resize', 'delete'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Request of an operation that a fault affects. */
export interface Hit extends Fault {
  operation: Operation;
  at: number;
}

/** Result of a run: the number of requests by operation, and the problems that it found. */
export interface RunReport {
  requests: Record<Operation, number>;
  wrong: string[];
}

const TRIES = 12;
const PAUSE_MS = 5;

/**
 * Creates, resizes and deletes a server with all features of the provider, under one fault. Calls are repeated like in
 * Temporal: after the requested pause, by a worker without state. An exhausted quota ends the operation. Its resources
 * are rolled back, and it is requested again.
 */
export async function runUnder(subject: FaultSubject, hit?: Hit): Promise<RunReport> {
  const stage = await subject.open();
  const wrong: string[] = [];
  const requests = { create: 0, resize: 0, delete: 0 };
  const scope = { workspace: 'faults', infra: 'rounds', uuid: randomUUID() };
  const access = hostAccess();
  const context = (key: string) => ({ scope, setup: 'faults', key, access });
  const wanted = wantedOf(subject.provider);

  const persist = async (call: (connection: ProviderConnection, context: CallContext) => Promise<unknown>): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        await call(await stage.connect(), { scope, setup: 'faults', signal: AbortSignal.timeout(120_000) });
        return;
      } catch (error) {
        if (!(error instanceof ProvisioningError) || error.details.blame !== 'weather' || tries === TRIES) throw error;
        await sleep(error.details.retryAfterMs ?? PAUSE_MS);
      }
    }
  };

  const destroy = async () => {
    await persist((connection, call) => connection.servers.delete(wanted.name, call));
    await persist((connection, call) => connection.networks.delete(wanted.network, call));
  };
  const operations: Record<Operation, () => Promise<void>> = {
    create: async () => {
      await persist((connection, call) =>
        connection.networks.create({ name: wanted.network }, { ...call, ...context('op/network/1') }),
      );
      await persist((connection, call) => connection.servers.create(wanted, { ...call, ...context('op/server/1') }));
      await persist((connection, call) => connection.servers.ready(wanted.name, call));
    },
    resize: async () => {
      const larger = { ...wanted, plan: subject.provider.sizes.medium };
      await persist((connection, call) => connection.servers.update(larger, { ...call, ...context('op/resize/1') }));
      await persist((connection, call) => connection.servers.ready(wanted.name, call));
    },
    delete: destroy,
  };

  const perform = async (operation: Operation): Promise<void> => {
    const before = stage.faults.log.length;
    if (hit?.operation === operation) stage.faults.plan(hit);
    try {
      await operations[operation]();
    } catch (error) {
      if (!isQuota(error)) throw error;
      stage.faults.clear();
      if (operation === 'create') {
        await destroy();
        const rest = await stage.left();
        if (rest.length > 0) wrong.push(`the operation that was rolled back left ${rest.join(', ')}`);
      }
      await operations[operation]();
    }
    requests[operation] = stage.faults.log.length - before;
    stage.faults.clear();
  };

  try {
    for (const operation of OPERATIONS) {
      await perform(operation);
      const there = await stage.count(wanted.name);
      const expected = operation === 'delete' ? 0 : 1;
      if (there !== expected) wrong.push(`after ${operation} there are ${there} servers instead of ${expected}`);
    }
    const rest = await stage.left();
    if (rest.length > 0) wrong.push(`at the end there is ${rest.join(', ')}`);
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
  }
  wrong.push(...stage.faults.tooEarly());
  await stage.close().catch((error: Error) => wrong.push(error.message));
  return { requests, wrong: wrong.map((what) => `${hit ? say(hit) : 'without a fault'}: ${what}`) };
}

const isQuota = (error: unknown): boolean => error instanceof ProvisioningError && error.details.code === 'quota-exceeded';

const say = ({ kind, operation, at, times }: Hit) =>
  `${kind} at request ${at}${times === 1 ? '' : ` and ${(times ?? 1) - 1} more`} of ${operation}`;

/** Returns a server with all features of the provider. */
function wantedOf({ sizes, images, features = [] }: AnyProvider): WantedServer {
  return {
    name: 'web-1',
    role: 'web',
    plan: sizes.small,
    image: images.default,
    labels: { team: 'red' },
    volumes: [{ name: 'data', sizeGiB: 10, mount: '/srv/data' }],
    network: 'default',
    ...(features.includes('firewall') ? { firewall: [{ protocol: 'tcp', ports: '80', from: ['0.0.0.0/0'] }] } : {}),
    ...(features.includes('placement') ? { placement: 'apart' } : {}),
    ...(features.includes('address') ? { address: 'reserved' } : {}),
  };
}

/**
 * Runs rounds of faults: every kind at a random request of every operation, or at each of its requests. Returns the
 * number of runs and all problems.
 *
 * @param side number of parallel runs, each with a separate account
 */
export async function faultRounds(
  subject: FaultSubject,
  { rounds, seed, everywhere = false, side = 6 }: { rounds: number; seed: number; everywhere?: boolean; side?: number },
): Promise<{ runs: number; requests: RunReport['requests']; wrong: string[] }> {
  const random = seededRandom(seed);
  const calm = await runUnder(subject);
  const hits: Hit[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const operation of OPERATIONS) {
      const count = calm.requests[operation];
      for (const kind of FAULTS) {
        const places = everywhere ? Array.from({ length: count }, (_, index) => index + 1) : [1 + Math.floor(random() * count)];
        for (const at of places) hits.push({ kind, operation, at, times: random() < 0.7 ? 1 : 2, retryAfterS: 1 });
      }
    }
  }
  const wrong = [...calm.wrong];
  const queue = [...hits];
  const work = async () => {
    for (let hit = queue.shift(); hit; hit = queue.shift()) wrong.push(...(await runUnder(subject, hit)).wrong);
  };
  await Promise.all(Array.from({ length: side }, work));
  return { runs: hits.length + 1, requests: calm.requests, wrong };
}
