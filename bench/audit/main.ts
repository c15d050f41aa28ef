/**
 * Measures the audit: appended records per second by batch size, against the same rows without hashes in the same run.
 * Also measures a verification, and tests that it detects each kind of tampering among many records. `RECORDS` (default
 * 20,000), `TAMPERED` (number of records for tampering, default 100,000), `SEED`.
 */
import { randomBytes } from 'node:crypto';
import { createAuditRecord, keepEnds, openAuditFixture } from '../../stores/audit/audit-fixture.js';
import { createAuditWriter } from '../../stores/audit/audit-writer.js';
import type { Head } from '../../stores/audit/heads.js';
import { verifyChains } from '../../stores/audit/verify-chains.js';
import { keepResult, machine, printTable } from '../report.js';
import { type Draw, TAMPERINGS } from './tamper.js';

const RECORDS = Number(process.env.RECORDS ?? 20_000);
/** Minimum of records per second, with 500 in each batch. */
const GOAL = 5_000;
const SIZES = [1, 10, 100, 500];
const TAMPERED = Number(process.env.TAMPERED ?? 100_000);
const SEED = Number(process.env.SEED ?? 1);
/** Number of processes that wrote the records for tampering. */
const WRITERS = 4;

async function measure(size: number, count: number) {
  const fixture = await openAuditFixture();
  try {
    const writer = createAuditWriter(async () => fixture.log);
    const numbers = Array.from({ length: size }, (_, at) => at);
    // Warm up: the first run of code and the first commit are slow.
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

/** Creates a generator with the same numbers for the same seed. */
function drawFrom(seed: number): Draw {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** Returns the verification results for each kind of tampering, with the same records. */
async function tamper(count: number) {
  const fixture = await openAuditFixture();
  try {
    const heads = new Map<string, Head>();
    const create = () =>
      createAuditWriter(
        async () => fixture.log,
        (ends) => keepEnds(heads, ends),
      );
    const writers = Array.from({ length: WRITERS }, create);
    const each = Math.ceil(count / WRITERS);
    for (let from = 0; from < each; from += 500)
      for (const [at, writer] of writers.entries()) {
        const numbers = Array.from({ length: Math.min(500, each - from) }, (_, further) => at * each + from + further);
        await writer.append(numbers.map((number) => createAuditRecord(number % 4 < 2 ? 'changes' : 'access', number)));
      }
    const rows = await fixture.all();
    const draw = drawFrom(SEED);
    const found: { kind: string; records: number; faults: string[]; seconds: number }[] = [];
    const verify = async (kind: string) => {
      const began = performance.now();
      const { records, problems } = await verifyChains(fixture.log, heads);
      const seconds = (performance.now() - began) / 1_000;
      found.push({ kind, records, faults: [...new Set(problems.map(({ fault }) => fault))], seconds });
    };
    await verify('nothing');
    for (const [kind, change] of Object.entries(TAMPERINGS)) {
      const { removed, kept } = change(rows, draw);
      await fixture.replace(removed, kept);
      await verify(kind);
      await fixture.replace(kept, removed);
    }
    await verify('nothing again');
    return found;
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
const found = await tamper(TAMPERED);
printTable(
  ['tampering', 'records', 'found', 'verified in'],
  found.map(({ kind, records, faults, seconds }) => [
    kind,
    String(records),
    faults.join(', ') || 'nothing',
    `${seconds.toFixed(1)} s`,
  ]),
);
const wrong = found.filter(({ kind, faults }) => kind.startsWith('nothing') === faults.length > 0);
process.stdout.write(
  wrong.length === 0 ? 'reached: each tampering was found\n' : `MISSED: ${wrong.map(({ kind }) => kind).join(', ')}\n`,
);
await keepResult('audit', { records: RECORDS, goal: GOAL, results, tampered: TAMPERED, seed: SEED, found });
if (wrong.length > 0) process.exitCode = 1;
