import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeLogins } from '../fake-logins.js';
import { fakeSession, inventoryNamed } from '../fake-session.js';
import { runForServices } from '../shared/clusters/backup-services.js';
import { letIn } from '../shared/let-in.js';
import { parseAskedScript } from './asked-script.js';
import { findListeningAddress } from './tunnel-target.js';

/** Stands for ssh: runs the command here, on a host whose login prints \`before\` and \`behind\`, without root's files. */
const SSH = (folder: string) => `#!/bin/bash
for word; do case "$word" in LocalCommand=*) eval "\${word#LocalCommand=}" ;; esac; line="$word"; done
cat ${folder}/before; cat ${folder}/before >&2
export PATH="${folder}/host:$PATH"
bash -c "$line"
code=$?
cat ${folder}/behind; cat ${folder}/behind >&2
exit $code
`;

/** Programs of that host with their output. */
const HOST = {
  ss: "echo 'LISTEN 0 1 10.0.0.5:5432 *:*'",
  mkdir: ':',
  touch: ':',
  // This machine is not changed: the key already exists on its own line.
  grep: ':',
  tail: ':',
  cut: "echo 'ssh-ed25519 AAAA'",
};

const KEY = 'ssh-ed25519 BBBB';
const connection = { kind: 'ssh', address: '192.0.2.1', port: 22, user: 'root' } as const;
const server = { name: 'web', connection, spec: { group: 'web', role: 'all' }, services: {} };

const path = process.env.PATH;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asked-script-'));
  for (const name of ['bin', 'host']) mkdirSync(join(folder, name));
  const programs = {
    'bin/ssh': SSH(folder),
    ...Object.fromEntries(Object.entries(HOST).map(([name, text]) => [`host/${name}`, `#!/bin/sh\n${text}\n`])),
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  process.env.PATH = `${join(folder, 'bin')}:${path}`;
});
afterAll(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

/** Parsers of answers, for each file that reads a host's answer by ssh. */
const READS: Record<string, () => Promise<unknown>> = {
  'shared/clusters/backup-services.ts': async () => {
    const inventory = { ...inventoryNamed('shop'), servers: { web: server } } as never;
    const session = fakeSession({ client: { 'servers.login': fakeLogins.login } });
    const { runs } = await runForServices(session, inventory, [{ server: server as never }], 'list', () => 'ss');
    return runs.map(({ stdout }) => stdout.text);
  },
  'shared/let-in.ts': () => letIn({ address: '192.0.2.1', user: 'root' }, KEY),
  'ssh/tunnel-target.ts': () => findListeningAddress(server as never, 5432, { keys: folder }),
};

/** Files that connect to hosts and only forward the output, or use exit codes and a mark on standard error. */
const NO_ANSWER = [
  'commands/exec.ts',
  'shared/test-environments/run-tests.ts',
  'ssh/own-hosts.ts',
  'ssh/run-on-all.ts',
  'ssh/run-there.ts',
];

test('each file that reads an answer of a host is here', () => {
  const root = join(import.meta.dirname, '..');
  const files = (readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => /\b(runThere|runOnAll)\(|spawn\('ssh'/.test(readFileSync(join(root, name), 'utf8')));
  expect(files.map((name) => relative('.', name)).sort()).toEqual([...Object.keys(READS), ...NO_ANSWER].sort());
});

test.each(Object.entries(READS))('a login that greets changes no answer: %s', async (_, read) => {
  const greet = (before: string, behind: string) => {
    writeFileSync(join(folder, 'before'), before);
    writeFileSync(join(folder, 'behind'), behind);
  };
  greet('', '');
  const plain = await read();
  expect(JSON.stringify(plain)).toMatch(/ssh-ed25519 AAAA|10\.0\.0\.5/);
  for (const [before, behind] of [
    ['Welcome to this host\n', ''],
    ['Welcome', ''],
    ['ssh-ed25519 CCCC\nLISTEN 0 1 127.0.0.1:5432 *:*\n', ''],
    ['', 'Good-bye\n'],
    ['one\n\n', 'LISTEN 0 1 127.0.0.1:5432 *:*'],
  ] as const) {
    greet(before, behind);
    expect(await read()).toEqual(plain);
  }
});

test('a script of one line stays one, which csh takes, and ends as it does', () => {
  const { script, answer } = parseAskedScript('echo out; exit 3');
  expect(script).not.toContain('\n');
  const { status, stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect([status, answer(`greeting${stdout}`)]).toEqual([3, 'out\n']);
  expect(answer('greeting')).toBeUndefined();
});
