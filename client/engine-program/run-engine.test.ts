import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressReport } from '../../core/report.js';
import { type EngineProcess, runEngine } from './run-engine.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(source: string) {
  const program = join(folder, 'program.mjs');
  await writeFile(program, source);
  const reports: ProgressReport[] = [];
  const around: EngineProcess = { env: { ...process.env, MARK: 'handed on' }, verbose: false, err: { write: () => {} } };
  return { reports, answer: runEngine(around, ['up'], (report) => reports.push(report), program) };
}

describe("the engine's program", () => {
  test('reports, answers, and gives its exit code', async () => {
    const { answer, reports } = await run(`
      console.log(JSON.stringify({ task: 'engine', text: process.env.MARK, state: 'running' }));
      console.log(JSON.stringify({ result: process.argv.slice(2) }));
      process.exitCode = 3;`);
    expect(await answer).toEqual({ result: ['up', '--events'], exitCode: 3 });
    expect(reports).toEqual([{ task: 'engine', text: 'handed on', state: 'running' }]);
  });

  test('its error is thrown as it is', async () => {
    const details = { code: 'port-in-use', blame: 'user', what: 'start', on: '7233', why: 'in use', hint: 'another port' };
    const { answer } = await run(`console.log(JSON.stringify({ error: ${JSON.stringify(details)} })); process.exitCode = 2;`);
    await expect(answer).rejects.toMatchObject({ details });
  });

  test('one that dies without an answer is our fault, with its last words', async () => {
    const { answer } = await run(`console.error('out of luck'); process.exit(7);`);
    await expect(answer).rejects.toMatchObject({ details: { code: 'engine-silent', blame: 'bug', why: 'out of luck' } });
  });
});
