import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../commands.js';
import { runLine } from '../../fake-run.js';
import { fakeSession } from '../../fake-session.js';
import { readArgv } from '../../program/argv.js';
import { loadKnownTaskservs, redirectToTaskserv, taskservToo } from '../../program/taskserv-help.js';

const NAMES = commands.map(({ name }) => name);
const read = (line: string) => readArgv(line.split(' '), NAMES);
const taskservs = await loadKnownTaskservs();

test('a taskserv is shown with its fields, what it offers, and secrets as such', async () => {
  const { code, out } = await runLine('taskserv show redis');
  expect(code).toBe(0);
  expect(out).toContain('redis: Key-value store kept in memory.\n');
  expect(out).toMatch(/^Versions +8\.0 \(debian-13\), 7\.0 \(debian-12\), from debian$/m);
  expect(out).toMatch(/^Endpoints +redis 6379\/tcp/m);
  expect(out).toContain('  port  port; default: 6379\n      TCP port\n');
  expect(out).toContain('  password  secret; optional\n');
  expect(out).toContain('{ secret: NAME } or { generate: password }');
  const lines = out.split('\n');
  const fields = lines.slice(lines.indexOf('Fields of config:'), lines.indexOf('Example, a whole definition:'));
  expect(fields.filter((line) => line.length > 80)).toEqual([]);
});

test('its example can be saved as it is printed, and is a definition', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'show-'));
  try {
    for (const name of Object.keys(taskservs)) {
      const { out } = await runLine(`taskserv show ${name}`);
      const [, text = ''] = /whole definition:\n([\s\S]*?)\n\nJSON Schema/.exec(out) ?? [];
      const path = join(folder, `${name}.yaml`);
      await writeFile(path, text.replace(/^ {2}/gm, ''));
      const validated = await runLine(`validate ${path}`, { root: folder });
      expect([name, validated.code, validated.err]).toEqual([name, 0, '']);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('--json has the same', async () => {
  const shown = JSON.parse((await runLine('taskserv show postgres --json')).out);
  expect(shown).toMatchObject({ name: 'postgres', versions: { default: '15' }, conflicts: [], uses: [] });
  expect(shown.fields).toContainEqual({
    path: 'users[].password',
    type: 'secret',
    description: 'Its password',
    required: true,
    secret: true,
  });
  expect(shown.example.taskservs[0].name).toBe('postgres');
});

test('help of a word that is no command is help of the taskserv', async () => {
  for (const line of ['help redis', 'redis --help', 'help taskserv redis', 't help redis']) {
    expect([line, redirectToTaskserv(read(line), taskservs)]).toEqual([
      line,
      expect.objectContaining({ command: 'taskserv show', args: ['redis'] }),
    ]);
  }
  expect(redirectToTaskserv(read('help redis --json'), taskservs)?.args).toEqual(['redis', '--json']);
  for (const line of ['redis', 'help reds', 'help server redis', 'help apply', 'help constructor'])
    expect([line, redirectToTaskserv(read(line), taskservs)]).toEqual([line, undefined]);
});

test('a command goes before a taskserv of its name, and says that there is one', () => {
  const both = { ...taskservs, backup: taskservs.redis as (typeof taskservs)[string] };
  expect(redirectToTaskserv(read('help backup'), both)).toBeUndefined();
  expect(taskservToo('backup', both)).toContain('provisioning taskserv show backup');
  expect(taskservToo('apply', both)).toBe('');
});

test.each([
  ['reds', 'did you mean the taskserv "redis"? provisioning help redis'],
  ['taskserv redis', 'did you mean the taskserv "redis"? provisioning help redis'],
  ['help ngnix', 'did you mean the taskserv "nginx"? provisioning help nginx'],
  ['aply', 'did you mean "apply"?'],
  ['taskserv shwo', 'did you mean "taskserv show"?'],
  ['taskserv show reds', 'did you mean "redis"?'],
])('%s: %s', async (line, hint) => {
  const { code, err } = await runLine(line);
  expect([code, err]).toEqual([2, expect.stringContaining(`hint: ${hint}\n`)]);
});

test('colours are for terminals', async () => {
  const session = fakeSession();
  const entry = commands.find(({ name }) => name === 'taskserv show');
  const { command } = (await entry?.load()) ?? {};
  await command?.run({ ...session, out: { ...session.out, colours: true } }, { args: ['redis'], flags: {}, rest: [] });
  expect(session.said()).toContain('\u001b[1mpassword\u001b[0m');
  expect((await runLine('taskserv show redis')).out).not.toContain('\u001b');
});
