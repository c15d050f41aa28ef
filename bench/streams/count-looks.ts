/**
 * Loaded into a server of the API before its program (`NODE_OPTIONS=--import`): counts what it asks Temporal about each workflow,
 * and writes the counts of each second as a line of JSON to the file that LOOKS names. With PROFILE, SIGUSR2 begins a CPU profile,
 * and the next one writes it to that file.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createRequire } from 'node:module';

type Ask = (method: string, serialize: unknown, deserialize: unknown, argument: unknown, ...rest: unknown[]) => unknown;

/** Queries of one server about workflows in one second. */
export interface LooksOfSecond {
  /** Unix time, in seconds. */
  at: number;
  /** By workflow, how often it was described: each look begins so. */
  looks: Record<string, number>;
  /** By workflow, the shortest time between two descriptions, of which the second was in this second, in milliseconds. */
  gaps: Record<string, number>;
  queries: number;
}

interface Described {
  execution?: { workflowId?: string };
}

const file = process.env.LOOKS;
const [, program = ''] = process.argv;
if (file && program.endsWith('serve.js')) {
  // The modules that the program itself loads.
  const load = createRequire(program);
  const { Client } = load('@grpc/grpc-js') as { Client: { prototype: { makeUnaryRequest: Ask } } };
  const { temporal } = load('@temporalio/proto') as {
    temporal: { api: { workflowservice: { v1: { DescribeWorkflowExecutionRequest: { decode(bytes: Uint8Array): Described } } } } };
  };
  const { DescribeWorkflowExecutionRequest: request } = temporal.api.workflowservice.v1;
  const ask = Client.prototype.makeUnaryRequest;
  const last = new Map<string, number>();
  let looks: Record<string, number> = {};
  let gaps: Record<string, number> = {};
  let queries = 0;
  Client.prototype.makeUnaryRequest = function (method, serialize, deserialize, bytes, ...rest) {
    if (method.endsWith('/DescribeWorkflowExecution')) {
      const id = request.decode(bytes as Uint8Array).execution?.workflowId ?? '';
      looks[id] = (looks[id] ?? 0) + 1;
      const now = performance.now();
      const gap = now - (last.get(id) ?? Number.NEGATIVE_INFINITY);
      if (gap < (gaps[id] ?? Number.POSITIVE_INFINITY)) gaps[id] = Math.round(gap);
      last.set(id, now);
    }
    if (method.endsWith('/QueryWorkflow')) queries++;
    return ask.call(this, method, serialize, deserialize, bytes, ...rest);
  };
  const write = () => {
    const second: LooksOfSecond = { at: Math.floor(Date.now() / 1_000), looks, gaps, queries };
    appendFileSync(file, `${JSON.stringify(second)}\n`);
    looks = {};
    gaps = {};
    queries = 0;
  };
  setInterval(write, 1_000).unref();
  if (process.env.PROFILE) profileOnSignal(process.env.PROFILE);
}

function profileOnSignal(to: string): void {
  let session: Session | undefined;
  process.on('SIGUSR2', () => {
    const running = session;
    if (running) {
      session = undefined;
      running.post('Profiler.stop', (_error, { profile }) => writeFileSync(to, JSON.stringify(profile)));
      return;
    }
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.start');
  });
}
