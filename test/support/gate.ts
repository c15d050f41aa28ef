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

/** Commands of Temporal's API by which a run ends. */
const COMPLETE = 4;
const CONTINUE_AS_NEW = 10;
/** What was sent to Temporal is there after so many milliseconds: nothing of ours is in between. */
const SETTLE_MS = 200;

/** Somebody who stands at the end of runs of a workflow. */
export interface Watch {
  /** The id of the workflow. */
  workflow: string;
  /** Default: however the run ends. */
  ends?: 'ended' | 'continued';
  /**
   * `decided`: a worker has decided that the run ends, and Temporal does not know. `done`: Temporal knows, and no
   * worker has heard of the next run. `begun`: a worker has done the first task of that, and Temporal does not know.
   * Nothing goes on before it resolves.
   */
  act(moment: 'decided' | 'done' | 'begun'): Promise<void>;
  /** Temporal refused the end, since something came meanwhile: the task is done again, with that. */
  refused(): unknown;
}

/** Stands between Temporal and a worker, and stops both where a run ends. */
export interface Gate {
  /** From now on; undefined: nobody does any more. */
  watch(watch?: Watch): void;
  /** Does what sends so many updates, and resolves when Temporal has them, answered or not. */
  updates(count: number, work: () => void): Promise<void>;
}

/** An engine whose worker and clients reach Temporal by way of a gate. */
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
  /** While something is awaited here no task reaches a worker. */
  let closed: Promise<void> | undefined;
  let sent = 0;
  let noteSent = () => {};

  /** The one whose first task of the next run has not been seen. */
  let beginning: Watch | undefined;

  /** Stops the end of a run: Temporal does not know of it yet, then no worker. */
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

/** Whether an answered task is of a workflow: its token names that, behind the length of the name. */
const isOf = (message: Buffer, workflow: string): boolean =>
  message.includes(Buffer.concat([Buffer.from([workflow.length]), Buffer.from(workflow)]));

/** How a run ends by what a worker answers a task with, if it does. */
function endIn(message: Buffer): 'ended' | 'continued' | undefined {
  const commands = commandsIn(message);
  if (commands.includes(CONTINUE_AS_NEW)) return 'continued';
  return commands.includes(COMPLETE) ? 'ended' : undefined;
}

/** The types of the commands in RespondWorkflowTaskCompletedRequest: field 1 of each that is in its field 2. */
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
