/**
 * Cost of following a large operation on the demo provider. It has SERVERS servers (default 1000) with TASKSERVS
 * (default nginx,redis) on each. While it runs it is queried as a whole, and by its changes. Reports bytes and time of
 * a query. LOOKS (default 40) queries are made of each kind. Needs `npm run build`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientOptions, WorkflowClientInterceptor } from '@temporalio/client';
import { createSealedClient } from '../../app/temporal/sealed-client.js';
import type { Progress } from '../../core/operation/operation.js';
import { ProgressCopy } from '../../core/operation/progress-copy.js';
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { eventually, submit } from '../../test/support/operations.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';
import { groupsOf } from '../server-groups.js';

const SERVERS = Number(process.env.SERVERS ?? 1_000);
const TASKSERVS = (process.env.TASKSERVS ?? 'nginx,redis').split(',').filter(Boolean);
const LOOKS = Number(process.env.LOOKS ?? 40);

interface Look {
  kind: 'first in parts' | 'whole' | 'changes' | 'ended, in parts' | 'ended, at once';
  queries: number;
  bytes: number;
  ms: number;
}

const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
try {
  let last = { queries: 0, bytes: 0 };
  const weighing: WorkflowClientInterceptor = {
    async query(input, next) {
      const answer = await next(input);
      last = { queries: last.queries + 1, bytes: last.bytes + Buffer.byteLength(JSON.stringify(answer)) };
      return answer;
    },
  };
  const { connection, namespace } = engine.temporal.options as Required<Pick<ClientOptions, 'connection' | 'namespace'>>;
  const temporal = createSealedClient(
    { connection, namespace, codec: engine.encryption.codec(namespace, engine.payloads) },
    weighing,
  );
  const definition = demoDefinition('large', { servers: groupsOf(SERVERS), taskservs: TASKSERVS });
  const operation = await submit(engine, { infra: 'large', definition });
  const handle = temporal.workflow.getHandle(operation);
  const isPlanned = async () => {
    if ((await handle.query<Progress>('progress')).plan.length < SERVERS) throw new Error('it has not decided yet');
  };
  await eventually(isPlanned, 600_000);

  const looks: Look[] = [];
  const look = async (kind: Look['kind'], ask: () => Promise<Progress>): Promise<Progress> => {
    last = { queries: 0, bytes: 0 };
    const began = performance.now();
    const progress = await ask();
    looks.push({ kind, ...last, ms: performance.now() - began });
    return progress;
  };
  const copy = new ProgressCopy();
  let cells = 0;
  for (let index = 0; index < LOOKS; index++) {
    const { status, ...seen } = await look(index === 0 ? 'first in parts' : 'changes', () => copy.ask(handle, () => false));
    cells = seen.cells.length;
    if (status !== 'running') break;
    await look('whole', () => handle.query<Progress>('progress'));
    await sleep(400);
  }
  await (await engine.client()).operations.result({ operation });
  await look('ended, at once', () => new ProgressCopy().askEnded(handle, () => false));
  await look('ended, in parts', () => new ProgressCopy().ask(handle, () => false));

  process.stdout.write(`${machine()}; ${SERVERS} servers, ${TASKSERVS.join(',')}, ${cells} cells\n`);
  const kinds = (['first in parts', 'whole', 'changes', 'ended, at once', 'ended, in parts'] as const).flatMap((kind) => {
    const of = looks.filter((one) => one.kind === kind);
    // A small operation is over before the second query.
    if (of.length === 0) return [];
    const figure = (name: 'queries' | 'bytes' | 'ms') => {
      const values = of.map((one) => one[name]);
      return { median: median(values), most: Math.max(...values) };
    };
    return [{ kind, looks: of.length, queries: figure('queries'), bytes: figure('bytes'), ms: figure('ms') }];
  });
  const cell = ({ median: middle, most }: { median: number; most: number }) => `${middle.toFixed(0)} (${most.toFixed(0)})`;
  printTable(
    ['look', 'looks', 'queries', 'bytes of JSON, median (most)', 'ms, median (most)'],
    kinds.map(({ kind, looks: count, queries, bytes, ms }) => [kind, String(count), cell(queries), cell(bytes), cell(ms)]),
  );
  await keepResult('follow', { servers: SERVERS, taskservs: TASKSERVS.join(','), cells, kinds });
} finally {
  await engine.stop();
}
