import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchSubmission } from '../../core/batch.js';
import { countMarks } from '../../core/batch-rows.js';
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { readRecord } from '../../workers/engine/record.js';

const N = Number(process.argv[2] ?? 100);
const per = Math.min(500, N);
const engine = await startTestEngine();
try {
  const client = await engine.client();
  const definition = demoDefinition('farm', { servers: [{ name: 'web', count: per }] });
  const sub: BatchSubmission = {
    id: `batch-try-${process.pid}`,
    name: 'try',
    workspace: 'default',
    actor: 'me',
    parallel: Number(process.argv[3] ?? 500),
    accounts: {},
    priority: 3,
    onFailure: 'keep',
    definitions: { d: definition },
    operations: Array.from({ length: N }, (_, i) => ({
      name: `op-${i}`,
      kind: 'server' as const,
      verb: 'ensure' as const,
      infra: `farm-${Math.floor(i / per)}`,
      servers: [`web-${(i % per) + 1}`],
      definition: 'd',
      stage: 0,
      accounts: ['demo'],
    })),
  };
  const t = Date.now();
  await client.submitBatch(sub);
  let ended = false;
  const end = client.batchResult(sub.id).finally(() => {
    ended = true;
  });
  while (!ended) {
    await Promise.race([sleep(2000), end]);
    const s = await client.batch(sub.id);
    console.log(
      ((Date.now() - t) / 1000).toFixed(1),
      JSON.stringify(countMarks(s.marks)),
      s.status,
      s.continued,
      Object.entries(s.why).slice(0, 2),
    );
  }
  const seconds = (Date.now() - t) / 1000;
  console.log(N / seconds, 'ops/s');
  const rec = await readRecord(engine.home);
  const status = await readFile(`/proc/${rec?.worker?.pid}/status`, 'utf8');
  console.log(status.match(/VmHWM.*/)?.[0]);
  const h = await engine.temporal.workflow.getHandle(`${sub.id}-1`).fetchHistory();
  for (const e of h.events ?? []) console.log(e.eventId?.toString(), e.eventType, JSON.stringify(e).length);
  const hb = await engine.temporal.workflow.getHandle(sub.id).describe();
  console.log('batch events', hb.historyLength, hb.raw.workflowExecutionInfo?.historySizeBytes?.toString());
  const he = await engine.temporal.workflow.getHandle('infra/default/farm-0').describe();
  console.log('entity events', he.historyLength, he.raw.workflowExecutionInfo?.historySizeBytes?.toString());
} finally {
  const { tail } = await import('node:child_process').then((c) => ({
    tail: c.execSync(`ls ${engine.home.logs}; tail -c 3000 ${engine.home.logs}/worker.log`).toString(),
  }));
  console.log(tail);
  await engine.stop();
}
