import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Reader } from 'protobufjs';
import { readRecord } from '../../workers/engine/record.js';
import { makeAuthority } from './certificates.js';
import { startTestEngine, type TestEngine } from './engine.js';
import { plainEngine } from './temporal-cli.js';
import { type Held, startTlsFront } from './tls-front.js';

/** Commands of Temporal's API that end a run. */
const COMPLETE = 4;
const CONTINUE_AS_NEW = 10;
/** Milliseconds until sent data has arrived in Temporal. None of our code is in between. */
const SETTLE_MS = 200;

/** Observer for the ends of a workflow's runs. */
export interface Watch {
  /** Id of the workflow. */
  workflow: string;
  /** Kind of end to observe. Default: any. */
  ends?: 'ended' | 'continued';
  /**
   * `decided`: a worker has decided to end the run, and Temporal does not know yet. `done`: Temporal knows, and no
   * worker knows the next run. `begun`: a worker has done the first task of the next run, and Temporal does not know
   * yet. Everything waits until it resolves.
   */
  act(moment: 'decided' | 'done' | 'begun'): Promise<void>;
  /**
   * Called when Temporal rejected the end, because a new event has arrived. The task is then repeated with that event.
   */
  refused(): unknown;
}

/** Proxy between Temporal and a worker that stops both at the end of a run. */
export interface Gate {
  /** Sets the observer, or removes it if undefined. */
  watch(watch?: Watch): void;
  /** Runs work that sends this number of updates. Resolves when Temporal has them, answered or not. */
  updates(count: number, work: () => void): Promise<void>;
}

/** Starts an engine whose worker and clients reach Temporal through a gate. */
export async function startGatedEngine(): Promise<{ engine: TestEngine; gate: Gate }> {
  const folder = await mkdtemp(join(tmpdir(), 'gate-'));
  const behind = await startTestEngine(await plainEngine());
  await behind.killWorker();
  const { address: to = '' } = (await readRecord(behind.home)) ?? {};
  const authority = await makeAuthority(folder, 'gate');
  const { gate, hold } = makeGate();
  const front = await startTlsFront({ ...(await authority.sign('server')), to, hold });
  const engine = await startTestEngine({ TEMPORAL_ADDRESS: front.address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.cert });
  const { stop } = engine;
  return {
    gate,
    engine: Object.assign(engine, {
      async stop() {
        gate.watch();
        await stop();
        await front.close();
        await behind.stop();
        await rm(folder, { recursive: true });
      },
    }),
  };
}

function makeGate(): { gate: Gate; hold(path: string): Held | undefined } {
  let watch: Watch | undefined;
  /** While this is pending, no task reaches a worker. */
  let closed: Promise<void> | undefined;
  let sent = 0;
  let noteSent = () => {};

  /** Observer that still waits for the first task of the next run. */
  let beginning: Watch | undefined;

  /** Stops the end of a run: first before Temporal knows it, then before a worker does. */
  function ending(): Held {
    let by: Watch | undefined;
    let open = () => {};
    return {
      async asked(message) {
        if (!watch || !isOf(message, watch.workflow)) return;
        if (beginning === watch) {
          beginning = undefined;
          await watch.act('begun');
        }
        const ends = endIn(message);
        if (ends === undefined || (watch.ends && watch.ends !== ends)) return;
        by = watch;
        await by.act('decided');
        closed = new Promise((resolve) => {
          open = resolve;
        });
      },
      async answered(ok) {
        if (!by) return;
        if (ok) beginning = by;
        await (ok ? by.act('done') : by.refused());
        closed = undefined;
        open();
      },
    };
  }
  const polling: Held = {
    asked: async () => {},
    async answered() {
      while (closed) await closed;
    },
  };
  const updating: Held = {
    async asked() {
      sent++;
      noteSent();
    },
    answered: async () => {},
  };

  return {
    gate: {
      watch(next) {
        watch = next;
      },
      async updates(count, work) {
        const wanted = sent + count;
        work();
        while (sent < wanted)
          await new Promise<void>((resolve) => {
            noteSent = resolve;
          });
        await sleep(SETTLE_MS);
      },
    },
    hold(path) {
      if (path.endsWith('/RespondWorkflowTaskCompleted')) return ending();
      if (path.endsWith('/PollWorkflowTaskQueue')) return polling;
      return path.endsWith('/UpdateWorkflowExecution') ? updating : undefined;
    },
  };
}

/**
 * Returns whether a completed task belongs to a workflow: its token contains the workflow's id after the id's length.
 */
const isOf = (message: Buffer, workflow: string): boolean =>
  message.includes(Buffer.concat([Buffer.from([workflow.length]), Buffer.from(workflow)]));

/** Returns how a worker's answer to a task ends the run, if it does. */
function endIn(message: Buffer): 'ended' | 'continued' | undefined {
  const commands = commandsIn(message);
  if (commands.includes(CONTINUE_AS_NEW)) return 'continued';
  return commands.includes(COMPLETE) ? 'ended' : undefined;
}

/** Returns the types of the commands in RespondWorkflowTaskCompletedRequest: field 1 of each entry in its field 2. */
function commandsIn(message: Buffer): number[] {
  const commands: number[] = [];
  for (const reader = Reader.create(message); reader.pos < reader.len; ) {
    const tag = reader.uint32();
    if (tag >>> 3 !== 2) {
      reader.skipType(tag & 7);
      continue;
    }
    const command = Reader.create(reader.bytes());
    if (command.uint32() >>> 3 === 1) commands.push(command.uint32());
  }
  return commands;
}
