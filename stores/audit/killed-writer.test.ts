import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditFixture, openAuditFixture } from './audit-fixture.js';
import { readHeads } from './heads.js';
import { verifyChains } from './verify-chains.js';

/** Processes that are killed, and how many of them write at the same time. */
const KILLS = 20;
const AT_ONCE = 4;

let fixture: AuditFixture;
beforeAll(async () => {
  fixture = await openAuditFixture();
});
afterAll(() => fixture.close());

/** Writes until it is killed, some records after its first one. @returns the calls whose records it had on disk */
async function writeAndDie(heads: string, records: number): Promise<string[]> {
  const program = join(import.meta.dirname, '../../test/support/audit-writer-main.ts');
  const env = { PATH: process.env.PATH, ...fixture.env, HEADS: heads };
  const writer = spawn(process.execPath, ['--import', 'tsx', program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(writer, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: writer.stdout as NodeJS.ReadableStream })) {
    said.push(line);
    // Not at the moment of its report, when it writes nothing.
    if (said.length === records) void sleep(records % 7).then(() => writer.kill('SIGKILL'));
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  return said;
}

test('processes that are killed while they write leave whole chains, and every record that was on disk', async () => {
  const heads = join(fixture.folder, 'heads');
  const calls: string[] = [];
  for (let begun = 0; begun < KILLS; begun += AT_ONCE) {
    const sizes = Array.from({ length: AT_ONCE }, (_, at) => 20 + 13 * (begun + at));
    calls.push(...(await Promise.all(sizes.map((records) => writeAndDie(heads, records)))).flat());
  }
  const kept = await fixture.all();
  const recorded = new Set(kept.map(({ row }) => row.call));
  expect(calls.filter((call) => !recorded.has(call))).toEqual([]);
  expect(calls.length).toBeGreaterThan(KILLS * 20);
  const verification = await verifyChains(fixture.log, (await readHeads(heads)).heads);
  expect(verification).toMatchObject({ records: kept.length, chains: KILLS, problems: [] });
}, 300_000);
