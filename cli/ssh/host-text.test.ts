import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../test/support/free-ports.js';
import { fakeLogins } from '../fake-logins.js';
import { runLine } from '../fake-run.js';
import { inventoryNamed } from '../fake-session.js';
import { createScreen } from '../program/screen.js';
import { letIn } from '../shared/let-in.js';
import { eachLine } from './host-text.js';

/** Stands for ssh: keeps what it is started with, and is a host that writes to the terminal. */
const SSH = (folder: string) => `#!/bin/sh
for word; do printf '%s\\0' "$word"; done >"$(mktemp ${folder}/started.XXXXXX)"
for word; do case "$word" in LocalCommand=*) eval "\${word#LocalCommand=}" ;; esac; done
mark=$(printf '%s' "$*" | sed -n 's/.*printf %s%s \\([@0-9a-f-]*\\) \\([@0-9a-f-]*\\);.*/\\1\\2/p' | head -n 1)
case "$*" in *'ss -Hltn'*) echo "\${mark}LISTEN 0 1 127.0.0.1:5432 *:*" && exit ;; esac
printf '%sé\\033]0;title\\007\\n' "$mark"
printf '%spassword:\\033[2J\\r\\n' "$mark" >&2
`;

/** A user's settings for all hosts. */
const LENDS = `Host *
  ForwardAgent yes
  ForwardX11 yes
  ForwardX11Trusted yes
  Tunnel yes
  RemoteForward 9999 localhost:22
  LocalForward 9998 localhost:22
  DynamicForward 9997
  IdentityAgent /nowhere/agent
  AddKeysToAgent yes
`;

const connection = { kind: 'ssh', address: '192.0.2.1', port: 22, user: 'root', jump: 'ops@192.0.2.2:22' };
const inventory = {
  ...inventoryNamed('shop'),
  servers: { web: { name: 'web', connection, spec: { group: 'web', role: 'all' }, services: { restic: { taskserv: 'restic' } } } },
  definition: {
    servers: [
      { name: 'web', taskservs: [{ name: 'app', endpoints: [], config: { name: 'shop', processes: { web: { command: 'x' } } } }] },
    ],
  },
};

/** Command line for each file that starts ssh. */
const LINES: Record<string, (port: number) => string[]> = {
  'commands/app/exec.ts': () => ['app exec shop -- env'],
  'commands/exec.ts': () => ['exec web -- true', 'exec web --json -- true'],
  'commands/server/ssh.ts': () => ['server ssh web -- true'],
  'shared/clusters/backup-services.ts': () => ['cluster backup shop'],
  'shared/let-in.ts': () => [],
  'ssh/run-there.ts': () => [],
  'ssh/tunnel.ts': (port) => [`server tunnel web 5432 ${port}`],
};

const sources = (readdirSync(join(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' }) as string[])
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join(import.meta.dirname, '..', name));

test('each file that starts ssh has a command line here', () => {
  const starts = sources.filter((file) => /\bshellOn\((?!\n)|(spawn|execa|execFile)\('ssh'/.test(readFileSync(file, 'utf8')));
  expect(starts.map((file) => relative(join(import.meta.dirname, '..'), file)).sort()).toEqual(Object.keys(LINES));
});

test('only a terminal that was asked for writes to the terminal of the person', () => {
  const inherits = sources.filter((file) => /'inherit'/.test(readFileSync(file, 'utf8')));
  expect(inherits.map((file) => relative(join(import.meta.dirname, '..'), file))).toEqual(['ssh/host-text.ts']);
});

describe('a host that writes to the terminal, with settings that lend all', () => {
  const path = process.env.PATH;
  let folder: string;
  let ran: { line: string; args: string[]; written: string }[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'host-text-'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/ssh'), SSH(folder));
    writeFileSync(join(folder, 'settings'), LENDS);
    chmodSync(join(folder, 'bin/ssh'), 0o755);
    process.env.PATH = `${join(folder, 'bin')}:${path}`;
    const client = {
      'infras.list': async () => ['shop'],
      'infras.inventory': async () => inventory as never,
      'servers.login': fakeLogins.login,
    };
    const [port = 0] = await freePorts(1);
    ran = [];
    for (const line of Object.values(LINES).flatMap((lines) => lines(port))) {
      const { session } = await runLine(line, { client, root: join(folder, 'home'), env: { XDG_RUNTIME_DIR: folder } });
      keep(line, `${session.said()}${session.complained()}`);
    }
    await letIn({ address: '192.0.2.1', user: 'root' }, 'ssh-ed25519 AAAA');
    keep('import', '');
  });
  const keep = (line: string, written: string) => {
    for (const name of readdirSync(folder).filter((one) => one.startsWith('started.'))) {
      ran.push({ line, written, args: readFileSync(join(folder, name), 'utf8').split('\0').slice(0, -1) });
      rmSync(join(folder, name));
    }
  };
  afterAll(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  });

  /** Returns the effective configuration of ssh with its arguments and these settings. */
  const effective = (args: readonly string[]): string =>
    execFileSync('ssh', ['-F', join(folder, 'settings'), '-G', ...args.slice(0, args.indexOf('--') + 2)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PATH: path },
    });

  test('every command that starts ssh lends it neither agent nor screen, and forwards no port but its own', () => {
    expect(new Set(ran.map(({ line }) => line.split(' ').slice(0, 2).join(' '))).size).toBe(6);
    for (const { line, args } of ran) {
      const settings = effective(args);
      for (const off of ['forwardagent no', 'forwardx11 no', 'tunnel false']) expect(settings, line).toContain(`\n${off}\n`);
      expect(settings, line).not.toMatch(/^forwardx11trusted yes/m);
      // Only `import` authorizes a host with the user's own key.
      if (line !== 'import') expect(settings, line).toMatch(/^identityagent \/.*\/provisioning-ssh-/m);
      if (line !== 'import') expect(settings, line).toMatch(/^addkeystoagent (no|false)$/m);
      const clears = /^clearallforwardings yes$/m.test(settings);
      expect(clears, line).toBe(!args.includes('-L'));
      const jump = args.find((word) => word.startsWith('ProxyCommand='));
      if (jump)
        for (const [name, value] of [
          ['ForwardAgent', 'no'],
          ['ClearAllForwardings', 'yes'],
        ])
          expect(jump).toContain(`${name}=${value}`);
    }
    expect(ran.filter(({ args }) => args.includes('-L')).length).toBe(1);
  });

  test('what the host writes reaches the screen, which writes it out', () => {
    for (const line of ['app exec shop -- env', 'server ssh web -- true']) {
      const written = ran.find((one) => one.line === line)?.written ?? '';
      expect(written, line).toContain('password:\u001b[2J');
      expect(written, line).toContain('é\u001b]0;title');
    }
    expect(ran.find(({ args }) => args.includes('-L'))?.written).toContain('password:');
  });
});

test('a screen that is a terminal gets nothing of it that moves or renames it', () => {
  let got = '';
  const write = (text: string | Uint8Array) => {
    got += text;
    return true;
  };
  const terminal = createScreen({ isTTY: true, write }, {});
  terminal.data(Buffer.from('é\u001b]0;title\u0007\u001b[2J\n'));
  expect(got).toBe('é\\u001b]0;title\\u0007\\u001b[2J\n');
});

test('a line that never ends is handed on in parts', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  eachLine(stream, (line) => lines.push(line));
  stream.write(`a\r\n${'x'.repeat(70_000)}`);
  stream.end(Buffer.from('é\nb'));
  await new Promise((resolve) => stream.once('end', resolve));
  expect(lines.map((line) => line.length)).toEqual([1, 70_000, 1, 1]);
});
