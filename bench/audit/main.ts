/**
 * How many records the audit appends a second, by the number of records that are asked for at one time, beside the same
 * rows without hashes in the same run; and how long a verification of them takes. `RECORDS` (default 20,000).
 */
import { randomBytes } from 'node:crypto';
import { createAuditRecord, openAuditFixture } from '../../stores/audit/audit-fixture.js';
import { createAuditWriter } from '../../stores/audit/audit-writer.js';
import { verifyChains } from '../../stores/audit/verify-chains.js';
import { keepResult, machine, printTable } from '../report.js';

const RECORDS = Number(process.env.RECORDS ?? 20_000);
/** Records a second, with 500 in each batch. */
const GOAL = 5_000;
const SIZES = [1, 10, 100, 500];

async function measure(size: number, count: number) {
  const fixture = await openAuditFixture();
  try {
    const writer = createAuditWriter(async () => fixture.log);
    const numbers = Array.from({ length: size }, (_, at) => at);
    // Code that runs for the first time is slow, and so is the first commit.
    await writer.append(Array.from({ length: 2_000 }, (_, at) => createAuditRecord('changes', -1 - at)));
    const began = performance.now();
    for (let from = 0; from < count; from += size)
      await Promise.all(numbers.map((at) => writer.append([createAuditRecord('changes', from + at)])));
    const chained = count / ((performance.now() - began) / 1_000);
    const [example] = (await fixture.log.list({ limit: 1 })).rows;
    if (!example) throw new Error('nothing was written');
    const plainBegan = performance.now();
    for (let from = 0; from < count; from += size)
      await fixture.log.appendNow(numbers.map(() => ({ ...example.row, id: randomBytes(12).toString('hex'), chain: 'plain' })));
    const plain = count / ((performance.now() - plainBegan) / 1_000);
    const verifyBegan = performance.now();
    await verifyChains(fixture.log, new Map());
    return { size, chained, plain, verified: (count * 2 + 2_000) / ((performance.now() - verifyBegan) / 1_000) };
  } finally {
    await fixture.close();
  }
}

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const size of SIZES) results.push(await measure(size, Math.max(size, Math.min(RECORDS, size * 200))));
process.stdout.write(`${machine()}\n`);
printTable(
  ['records at one time', 'chained', 'the same rows, not hashed', 'verified'],
  results.map(({ size, chained, plain, verified }) => [
    String(size),
    ...[chained, plain, verified].map((each) => `${each.toFixed(0)}/s`),
  ]),
);
const best = results.at(-1)?.chained ?? 0;
process.stdout.write(`${best >= GOAL ? 'reached' : 'MISSED'}: ${best.toFixed(0)} records a second, goal ${GOAL}\n`);
await keepResult('audit', { records: RECORDS, goal: GOAL, results });
