import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProgressReport } from '../../core/report.js';
import { backupProgram } from './backup-program.js';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'backup-program-'));
});
afterEach(() => rmSync(place, { recursive: true }));

/** Writes a program that emulates the engine's. */
function programOf(text: string) {
  const path = join(place, 'engine.mjs');
  writeFileSync(path, text);
  return backupProgram({ PROVISIONING_HOME: '/srv/home' }, path);
}

test('the program gets the folder, the file and the home, and nothing else of the environment', async () => {
  const program = programOf(
    `console.log('{"task":"backup","text":"1","state":"running"}');
    console.log(JSON.stringify({ result: [process.argv.slice(2), process.env.PROVISIONING_HOME, process.env.PATH ?? null] }));`,
  );
  const reports: ProgressReport[] = [];
  const watch = { report: (one: ProgressReport) => void reports.push(one) };
  const answers: unknown = await Promise.all([
    program.create({ folder: '/mnt/-b', logs: true }, watch),
    program.create({ folder: '/mnt/b', logs: false }, watch),
    program.create({ file: '/mnt/-c.tar', folder: '/mnt/b', logs: true }, watch),
    program.list('/mnt/b'),
    program.verify('/mnt/b/--key=x.tar', watch),
    program.sweep({ check: true }, watch),
    program.sweep({ check: false, graceHours: 0 }, watch),
  ]);
  expect(reports).toEqual(Array(6).fill({ task: 'backup', text: '1', state: 'running' }));
  expect(answers).toEqual([
    [['backup', 'create', '--folder=/mnt/-b', '--events'], '/srv/home', null],
    [['backup', 'create', '--folder=/mnt/b', '--no-logs', '--events'], '/srv/home', null],
    [['backup', 'create', '--out=/mnt/-c.tar', '--events'], '/srv/home', null],
    [['backup', 'list', '--', '/mnt/b', '--events'], '/srv/home', null],
    [['backup', 'verify', '--', '/mnt/b/--key=x.tar', '--events'], '/srv/home', null],
    [['backup', 'sweep', '--check', '--events'], '/srv/home', null],
    [['backup', 'sweep', '--grace=0', '--events'], '/srv/home', null],
  ]);
});

test('its error is the error of the call', async () => {
  const error = { code: 'backup-damaged', blame: 'user', what: 'read the backup', on: 'a.tar', why: 'it is no archive' };
  const program = programOf(`console.log(${JSON.stringify(JSON.stringify({ error }))}); process.exit(2);`);
  await expect(program.verify('/mnt/b/a.tar', { report: () => {} })).rejects.toMatchObject({ details: error });
  await expect(programOf('process.exit(9)').list('/mnt/b')).rejects.toMatchObject({ details: { code: 'engine-silent' } });
});

test('who stops watching ends the program', async () => {
  const program = programOf(
    `import { writeFileSync } from 'node:fs';
    process.on('SIGTERM', () => { writeFileSync(${JSON.stringify('PLACE')}, 'ended'); process.exit(0); });
    console.log('{"task":"backup","text":"1","state":"running"}');
    setInterval(() => {}, 1000);`.replace('PLACE', join(place, 'ended')),
  );
  const stop = new AbortController();
  const report = () => stop.abort();
  await expect(program.verify('/mnt/b/a.tar', { report, signal: stop.signal })).rejects.toThrow();
  await vi.waitFor(() => expect(readFileSync(join(place, 'ended'), 'utf8')).toBe('ended'), 20_000);
});
