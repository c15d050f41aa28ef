/**
 * The API server under load, over HTTPS with a token, with its audit and its limits on. First the reads of each kind,
 * separately, beside a bare route of hono with the same answer over the same TLS. Then all kinds mixed, at a fixed
 * rate. Then previews and operations (demo provider), at rising rates until one fails or a queue grows. Needs `npm run
 * build`.
 *
 * `INFRAS` (default 1,000), `ENDED` (operations that only the store has, default 100,000). `RATE` (mixed requests a
 * second, 200) for `SECONDS` (120). `KIND_RATE` (100) for `KIND_SECONDS` (20), for each kind separately. `WORK_FROM`
 * (operations a second in the first step, 0.5), `WORK_SECONDS` (30) for each of at most `WORK_STEPS` (12) steps; 0
 * omits them. `KINDS` chooses kinds by parts of their names, comma-separated. `PROFILE` names a folder that gets a CPU
 * profile of the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openStores } from '../../stores/open-stores.js';
import { auditRecords } from '../../stores/rows/audit-records.js';
import { rowsAfter } from '../../stores/rows/list-log.js';
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine, type TestEngine } from '../../test/support/engine.js';
import { runWell, submit, untilStatus } from '../../test/support/operations.js';
import { secondsOf } from '../batch/cpu.js';
import { growIdleInfras } from '../idle-infras.js';
import { keepResult, machine, printTable } from '../report.js';
import { createAccount, openCaller } from './caller.js';
import { fillEnded } from './ended.js';
import { answerOf, countErrors, type LoadResult, percentile, startLoadProcess, startProgram } from './load.js';
import { mixRequests, readKinds, requestsOfKind } from './reads.js';
import { serveApiOf } from './served.js';
import { measureSpent, type RateStep, raiseRate, requestWork, type Spent } from './work.js';

const INFRAS = Number(process.env.INFRAS ?? 1_000);
const ENDED = Number(process.env.ENDED ?? 100_000);
const RATE = Number(process.env.RATE ?? 200);
const SECONDS = Number(process.env.SECONDS ?? 120);
const KIND_RATE = Number(process.env.KIND_RATE ?? 100);
const KIND_SECONDS = Number(process.env.KIND_SECONDS ?? 20);
const WORK = {
  from: Number(process.env.WORK_FROM ?? 0.5),
  seconds: Number(process.env.WORK_SECONDS ?? 30),
  steps: Number(process.env.WORK_STEPS ?? 12),
};
const KINDS = (process.env.KINDS ?? '').split(',');
/** Goal for the mixed load, in milliseconds. */
const GOAL_P99 = 150;
/** Requests a minute. On, and higher than the bench sends. */
const LIMITS = { PROVISIONING_API_REQUESTS_PER_ACCOUNT: '600000', PROVISIONING_API_REQUESTS_PER_ADDRESS: '600000' };
/** Requests before each measurement: code that runs for the first time is slow. */
const WARM_UP = Math.min(1_000, Math.ceil((KIND_RATE * KIND_SECONDS) / 2));
const CONNECTIONS = 64;

/** Counts how many reads the audit has of an account's. */
async function countAudited({ home, env }: TestEngine): Promise<number> {
  const stores = await openStores(home, env);
  try {
    let count = 0;
    for await (const { row } of rowsAfter((await stores.rows()).log(auditRecords), 0))
      if (row.class === 'reads') count += (JSON.parse(row.text) as { count?: number }).count ?? 1;
    return count;
  } finally {
    await stores.close();
  }
}

const ms = (value: number, digits = 1) => `${value.toFixed(digits)} ms`;
const describeErrors = ({ errors }: Pick<LoadResult, 'errors'>): string =>
  Object.entries(errors)
    .map(([why, count]) => `${count} × ${why}`)
    .join(', ') || '0';

const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
const sender = startLoadProcess();
const bare = startProgram('bare-main.ts');
const missed: string[] = [];
try {
  await growIdleInfras(engine, 0, INFRAS);
  const definition = demoDefinition('sample', {
    servers: [{ name: 'web', count: 3 }],
    taskservs: [
      { name: 'nginx', on: 'all' },
      { name: 'redis', on: 'all' },
    ],
  });
  const { operation: recent } = await runWell(engine, { infra: 'sample', definition });
  const waiting = { ...definition, infra: 'waiting' };
  const open = await submit(engine, { infra: 'waiting', definition: waiting, approve: ['before-change'] });
  await untilStatus(engine, open, 'waiting');
  const like = await (await engine.client()).operations.progress({ operation: recent });
  const filled = await fillEnded(engine, ENDED, like);

  const served = await serveApiOf(engine, LIMITS, process.env.PROFILE);
  try {
    const caller = openCaller(served);
    const token = await createAccount(caller, served.code);
    const kinds = readKinds({ infras: INFRAS, ended: ENDED, open, recent });
    const answers = new Map<string, string>();
    for (const { kind, path } of kinds) answers.set(kind, await caller.get(path(0), token));
    const named = await caller.countInfras(token);
    if (named < INFRAS) throw new Error(`the list has ${named} of ${INFRAS} infras`);
    caller.close();
    const routes = new Map(kinds.map(({ kind }, index) => [kind, `/v1/bare/${index}`]));
    bare.send({
      ...served.tls,
      answers: Object.fromEntries(kinds.map(({ kind }) => [routes.get(kind), JSON.parse(answers.get(kind) ?? 'null') as unknown])),
    });
    const bareUrl = String(await answerOf(bare));
    const shared = { ca: served.ca, token, connections: CONNECTIONS };
    let reads = 0;

    process.stdout.write(`${machine()}; ${named} infras, ${ENDED} ended operations (${filled.toFixed(0)} rows/s)\n`);
    const idleSeconds = Math.min(5, KIND_SECONDS);
    const { spent: idle } = await measureSpent(engine, served.pid, () => sleep(idleSeconds * 1_000));
    process.stdout.write(`without requests the server computes ${ms((idle.api * 1_000) / idleSeconds, 0)} a second\n`);
    const alone: { kind: string; bytes: number; p50: number; p99: number; errors: number; spent: Spent; bare: number }[] = [];
    for (const one of kinds.filter(({ kind }) => KINDS.some((part) => kind.includes(part)))) {
      const count = KIND_RATE * KIND_SECONDS;
      const at = { ...shared, url: served.url, rate: KIND_RATE };
      await sender.send({ ...at, requests: requestsOfKind(one, WARM_UP) });
      const { result, spent } = await measureSpent(engine, served.pid, () =>
        sender.send({ ...at, requests: requestsOfKind(one, count) }),
      );
      reads += WARM_UP + count;
      const { times = {}, errors } = result;
      if (countErrors(result) > 0) missed.push(`${one.kind}: ${describeErrors({ errors })}`);
      const same = { ...one, path: () => routes.get(one.kind) ?? '' };
      await sender.send({ ...at, url: bareUrl, requests: requestsOfKind(same, WARM_UP) });
      const from = await secondsOf(bare.pid);
      await sender.send({ ...at, url: bareUrl, requests: requestsOfKind(same, count) });
      const each = (seconds: number) => (seconds * 1_000) / count;
      alone.push({
        ...{ kind: one.kind, bytes: Buffer.byteLength(answers.get(one.kind) ?? ''), errors: countErrors(result) },
        ...{ p50: percentile(times[one.kind] ?? [], 0.5), p99: percentile(times[one.kind] ?? [], 0.99) },
        spent: { api: each(spent.api), worker: each(spent.worker), server: each(spent.server) },
        bare: each((await secondsOf(bare.pid)) - from),
      });
    }
    printTable(
      ['read', 'bytes', 'p50', 'p99', 'errors', 'processor time: API', 'bare hono', 'API / bare', 'worker', 'Temporal'],
      alone.map(({ kind, bytes, p50, p99, errors, spent, bare: lowest }) => [
        ...[kind, String(bytes), ms(p50), ms(p99), String(errors), ms(spent.api, 2), ms(lowest, 2)],
        ...[lowest > 0 ? (spent.api / lowest).toFixed(1) : '-', ms(spent.worker, 2), ms(spent.server, 2)],
      ]),
    );

    const requests = mixRequests(kinds, Math.round(RATE * SECONDS));
    const { result: mixed, spent } = await measureSpent(engine, served.pid, () =>
      sender.send({ ...shared, url: served.url, rate: RATE, requests }),
    );
    reads += requests.length;
    const times = [...Object.entries(mixed.times), ['all', Object.values(mixed.times).flat()] as const];
    process.stdout.write(`\n${RATE} reads a second for ${SECONDS} s, errors: ${describeErrors(mixed)}\n`);
    const of = times.map(([kind, values]) => ({
      ...{
        kind,
        answered: values.length,
        p50: percentile(values, 0.5),
        p99: percentile(values, 0.99),
        most: percentile(values, 1),
      },
    }));
    printTable(
      ['read', 'answered', 'p50', 'p99', 'slowest'],
      of.map(({ kind, answered, p50, p99, most }) => [kind, String(answered), ms(p50), ms(p99), ms(most)]),
    );
    const cores = { api: spent.api / SECONDS, worker: spent.worker / SECONDS, server: spent.server / SECONDS };
    const share = ([name, value]: [string, number]) => `${name} ${value.toFixed(2)}`;
    process.stdout.write(`cores: ${Object.entries(cores).map(share).join(', ')}\n`);
    const p99 = of.at(-1)?.p99 ?? 0;
    if (countErrors(mixed) > 0) missed.push(`${countErrors(mixed)} errors of ${requests.length} mixed reads`);
    if (p99 > GOAL_P99) missed.push(`p99 ${ms(p99)} of mixed reads, goal ${GOAL_P99} ms`);

    const work: Record<string, RateStep[]> = {};
    for (const kind of ['preview', 'operation'] as const) {
      const at = { ...shared, url: served.url, connections: 512 };
      work[kind] = await raiseRate(engine, served.pid, { sender, at, request: requestWork(kind) }, WORK);
      // Each that was accepted is awaited by a read.
      reads += work[kind].reduce((sum, { sent, errors }) => sum + sent - countErrors({ errors }), 0);
    }
    process.stdout.write('\n');
    printTable(
      ['work', 'a second', 'sent', 'errors', 'answered', 'ended', 'keeps up', 'processor time: API', 'worker', 'Temporal'],
      Object.entries(work).flatMap(([kind, steps]) =>
        steps.map(({ rate, sent, errors, answered, ended, keepsUp, spent: each }) => [
          ...[
            kind,
            rate.toFixed(2),
            String(sent),
            describeErrors({ errors }),
            ms(answered, 0),
            ms(ended, 0),
            keepsUp ? 'yes' : 'no',
          ],
          ...[each.api, each.worker, each.server].map((seconds) => ms(seconds * 1_000)),
        ]),
      ),
    );
    const highest = Object.entries(work).map(([kind, steps]) => {
      const best = steps.filter(({ errors, keepsUp }) => keepsUp && Object.keys(errors).length === 0).at(-1);
      if (!best && steps.length > 0) missed.push(`${kind}: no rate without errors`);
      return { kind, rate: best?.rate ?? 0 };
    });
    for (const { kind, rate } of highest)
      process.stdout.write(`highest rate of ${kind}s without errors: ${rate.toFixed(2)} a second\n`);

    await served.stop();
    const audited = await countAudited(engine);
    if (audited < reads) missed.push(`the audit has ${audited} of ${reads} reads`);
    process.stdout.write(`${audited} reads are in the audit, of ${reads} at least\n`);
    process.stdout.write(missed.length > 0 ? `MISSED: ${missed.join('; ')}\n` : `reached: 0 errors, p99 at most ${GOAL_P99} ms\n`);
    await keepResult('api', {
      ...{ infras: named, ended: ENDED, filled, goal: GOAL_P99, idle: idle.api / idleSeconds, alone, rate: RATE, seconds: SECONDS },
      ...{ mixed: { errors: mixed.errors, of, cores }, work, highest, audited, reads, missed },
    });
    if (served.logged() !== '') process.stdout.write(`the server's log:\n${served.logged()}`);
  } finally {
    await served.stop();
  }
} finally {
  sender.stop();
  bare.kill('SIGKILL');
  await engine.stop();
}
