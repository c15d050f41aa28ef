import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backupProgram } from './backup-program.js';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'backup-program-'));
});
afterEach(() => rmSync(place, { recursive: true }));

/** Writes a program that stands for the engine's. */
function programOf(text: string) {
  const path = join(place, 'engine.mjs');
  writeFileSync(path, text);
  return backupProgram(path, { PROVISIONING_HOME: '/srv/home' });
}

test('the program gets the folder, the file and the home, and nothing else of the environment', async () => {
  const program = programOf(
    `console.log('{"task":"backup","text":"1","state":"running"}');
    console.log(JSON.stringify({ result: [process.argv.slice(2), process.env.PROVISIONING_HOME, process.env.PATH ?? null] }));`,
  );
  const answers: unknown = await Promise.all([
    program.create({ folder: '/mnt/-b', logs: true }),
    program.create({ folder: '/mnt/b', logs: false }),
    program.list('/mnt/b'),
    program.verify('/mnt/b/--key=x.tar'),
  ]);
  expect(answers).toEqual([
    [['backup', 'create', '--folder=/mnt/-b', '--events'], '/srv/home', null],
    [['backup', 'create', '--folder=/mnt/b', '--no-logs', '--events'], '/srv/home', null],
    [['backup', 'list', '--', '/mnt/b', '--events'], '/srv/home', null],
    [['backup', 'verify', '--', '/mnt/b/--key=x.tar', '--events'], '/srv/home', null],
  ]);
});

test('its error is the error of the call', async () => {
  const error = { code: 'backup-damaged', blame: 'user', what: 'read the backup', on: 'a.tar', why: 'it is no archive' };
  const program = programOf(`console.log(${JSON.stringify(JSON.stringify({ error }))}); process.exit(2);`);
  await expect(program.verify('/mnt/b/a.tar')).rejects.toMatchObject({ details: error });
  await expect(programOf('process.exit(9)').list('/mnt/b')).rejects.toMatchObject({ details: { code: 'engine-silent' } });
});
