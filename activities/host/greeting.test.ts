import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ServerChannel } from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePair } from '../../stores/key-pair.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { hostVerbs, type ScriptVerbs } from '../../test/support/host-verbs.js';
import { mayMount } from '../../test/support/journal-host.js';
import { type SshHost, startSshHost } from '../../test/support/ssh-host.js';
import { HOST_STATE } from './paths.js';
import { scriptHost } from './script/script-host.js';
import { openConnections } from './ssh/connections.js';
import { firstContact } from './ssh/first-contact.js';
import { replaceHostKey } from './ssh/replace-host-key.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
const ours = makePair('ours');
/** A key that is pinned already, and was not replaced. */
const keys = {
  infraKey: async () => ours,
  pinned: async (_: unknown, name: string) => (name === 'box' ? pinned : undefined),
  pin: async () => {},
};
let pinned: string | undefined;
const secrets = { list: async () => [], listScoped: async () => [], get: async () => undefined };
const dependencies = {
  secrets: { ...secrets, within: () => secrets },
  providers: {},
  sealer: { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed },
  logs: { open: async () => ({ write() {}, close: async () => {} }), read: async () => [] },
};

interface Greeting {
  title: string;
  before?: string;
  behind?: string;
  /** Steps are not run, which takes seconds. */
  withoutWork?: true;
}

/** Output of a .bashrc before a command, and in a trap after it, on both streams. */
const GREETINGS: readonly Greeting[] = [
  {
    title: 'answers of its own first, and words at the end',
    before: 'there\nnone\nO eA==\nE\ndone\n42\n@foreign u-2 default other\n',
    behind: 'two',
  },
  {
    title: 'a word first, without the end of its line, and a line at the end',
    before: 'one',
    behind: 'Good-bye\n',
    withoutWork: true,
  },
  { title: '20 KiB first, and what is no text', before: `${'x'.repeat(20_000)}\u00e9\u0000\u001b[2J\n`, withoutWork: true },
];
/** Verbs whose record shows the effects of the others. */
const SLOW = ['run', 'progress', 'undo', 'the record'];

describe.skipIf(!mayMount)('a host whose login greets', () => {
  let folder: string;
  let host: SshHost;
  let transports: ReturnType<typeof openConnections>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'greeting-'));
    mkdirSync(join(folder, 'home'));
    mkdirSync(HOST_STATE, { recursive: true, mode: 0o700 });
    host = await startSshHost({ exec: shell });
    pinned = host.publicKey;
    transports = openConnections(keys as never);
  });
  afterAll(async () => {
    transports.close();
    await host.close();
    rmSync(folder, { recursive: true });
  });

  /** As sshd does: bash reads the .bashrc of who logs in, since it is run by SSH. */
  function shell(channel: ServerChannel, command: string): void {
    const mounted = `mount --bind ${folder}/state ${HOST_STATE} && exec env -i SSH_CLIENT=1 HOME=${folder}/home PATH="$PATH" bash -c "$1"`;
    const child = spawn('unshare', ['-m', 'dash', '-c', mounted, '-', command]);
    child.stdin.on('error', () => {});
    channel.pipe(child.stdin);
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    child.once('close', (code) => {
      channel.exit(code ?? 1);
      channel.end();
    });
  }

  const target = () => ({
    ...{ workspace: 'default', infra: 'shop', server: 'box' },
    connection: { kind: 'ssh' as const, address: '127.0.0.1', port: host.port, user: 'root' },
  });

  /** Answer or error of each verb on an empty host. */
  async function answers(greeting: Greeting = { title: 'nothing' }): Promise<Record<string, unknown>> {
    const { before = '', behind = '' } = greeting;
    for (const name of ['state', 'ran']) rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'state'));
    writeFileSync(join(folder, 'before'), before);
    writeFileSync(join(folder, 'behind'), behind);
    const say = (name: string) => `cat ${folder}/${name}; cat ${folder}/${name} >&2`;
    writeFileSync(join(folder, 'home/.bashrc'), `${say('before')}\n${behind && `trap '${say('behind')}' EXIT`}\n`);
    const open = (options?: { fresh?: boolean }) => transports.open(target(), options);
    const verbs = scriptHost({ scope, server: 'box', open }, dependencies as never);
    const contact = { transports, keys: keys as never, target: target(), beat() {} };
    const calls: [string, (of: ScriptVerbs) => Promise<unknown>][] = [
      ['first contact', () => firstContact(contact)],
      ['a new host key', () => replaceHostKey(contact)],
      ...hostVerbs(join(folder, 'ran')),
      ['data that is read', (of) => readOf(of, 'printf "one\\0two"')],
      ['data that is written', async (of) => of.stream?.('cat', { input: Readable.from(['three']) })],
      ['the record', (of) => of.access.record()],
      ['leaving', (of) => of.access.leave()],
      ['a script that fails', (of) => (of.stream as NonNullable<ScriptVerbs['stream']>)('echo why >&2; exit 4')],
    ];
    const said: Record<string, unknown> = {};
    for (const [name, call] of calls.filter(([one]) => !(SLOW.includes(one) && greeting.withoutWork)))
      said[name] = await activityEnvironment({ attempt: 9 })
        .run(() => call(verbs))
        .catch((error: Error) => `failed: ${error.message}`);
    return said;
  }

  async function readOf(of: ScriptVerbs, script: string): Promise<string> {
    const output = new PassThrough();
    const [printed] = await Promise.all([text(output), of.stream?.(script, { output })]);
    return printed;
  }

  /** But for the free disk, and the times of journals. */
  const stable = (said: Record<string, unknown>): unknown =>
    JSON.parse(JSON.stringify(said, (key, value) => (key === 'freeMiB' || key === 'at' ? undefined : value)));

  test('answers as one does whose login is silent, whatever is asked', async () => {
    const all = await answers();
    const plain = stable(all);
    expect(plain).toMatchObject({
      'files.come': 0,
      stream: 'streamed',
      'data that is read': 'one\0two',
      'data that is written': 'three',
      'the record': { mark: { infra: 'shop' } },
      'a script that fails': expect.stringMatching(/box: why$/),
    });
    expect(plain).not.toHaveProperty(['first contact']);
    for (const greeting of GREETINGS) {
      const expected = greeting.withoutWork
        ? Object.fromEntries(Object.entries(all).filter(([name]) => !SLOW.includes(name)))
        : all;
      expect({ [greeting.title]: stable(await answers(greeting)) }).toEqual({ [greeting.title]: stable(expected) });
    }
  });

  test.each([
    [
      'echo "This account is currently not available."; exit 1',
      /^cannot run a script: box \(root@.*\): the login .*: This account is currently not/,
    ],
    ['echo Welcome; exit 0', /the login does not run commands: Welcome/],
    ['echo "bash: sudo: command not found" >&2; exit 127', /^cannot become root: .*: there is no sudo/],
    ['echo "sudo: sorry, you must have a tty to run sudo" >&2; exit 1', /^cannot become root: .*: sudo wants a terminal/],
    ['echo "sudo: a password is required" >&2; exit 1', /^cannot become root: .*: sudo wants a password/],
    ['echo "sudo: unable to resolve host box" >&2', undefined],
    ['echo "sudo: a password is required" >&2', undefined],
  ])('is said to begin with no script if its login does %j, and that alone', async (login, why) => {
    writeFileSync(join(folder, 'home/.bashrc'), login);
    const asked = (await transports.open(target())).exec('echo answer');
    if (why) await expect(asked).rejects.toThrow(why);
    else expect(await asked).toEqual({ exit: 0, stdout: 'answer\n', stderr: '' });
  });
});

test('no script goes to a host but by the two ways that mark its answer', () => {
  const root = join(import.meta.dirname, '..');
  const files = (readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) =>
      /\bclient\.(exec|shell)\(|\b(execa|execFile|spawn|spawnSync|execSync)\(/.test(readFileSync(join(root, name), 'utf8')),
    );
  expect(files.map((name) => relative('.', name)).sort()).toEqual(['host/ssh/ssh-exec.ts', 'host/this-machine/this-machine.ts']);
  for (const name of files) expect(readFileSync(join(root, name), 'utf8')).toMatch(/\banswer\.script\b/);
});
