import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type ssh2 from 'ssh2';
import { expect } from 'vitest';
import { hostFault } from '../../activities/host/journal/host-fault.js';
import { renderAttach, renderRunner } from '../../activities/host/journal/runner.js';
import { hostFiles } from '../../activities/host/script/host-files.js';
import { bindToOwnHost } from '../../activities/host/script/own-host.js';
import type { ScriptedHost } from '../../activities/host/script/scripted-host.js';
import { execOn } from '../../activities/host/ssh/ssh-exec.js';
import { FOREIGN, FOREIGN_PREFIX } from '../../core/host/foreign-host.js';
import { quote } from '../../core/host/shell.js';
import { checkSocketPaths } from '../../workers/engine/socket-paths.js';
import { type Play, steps, withFiles } from './play.js';

/** First output of bash for a user whose .bashrc prints a greeting. */
const GREETING = 'Welcome to this host\n';

/** A host that greets before it answers. */
const greeting = (answer = '', ended = { exit: 0, stderr: '' }): ScriptedHost => ({
  scope: { workspace: 'default', infra: 'shop', uuid: 'u-1' },
  server: 'box',
  open: async () => ({ exec: async () => ({ stdout: GREETING + answer, ...ended }), close() {} }),
});

interface Ended {
  exit: number | null;
  stdout?: string;
  stderr?: string;
}

/** A connection by SSH on which each command with its script ends like this. */
function connectionTo(run: (command: string, script: string) => Ended): ssh2.Client {
  const exec = (command: string, opened: (error: undefined, channel: unknown) => void) => {
    const channel = Object.assign(new PassThrough({ emitClose: false }), {
      stderr: new PassThrough(),
      close() {},
      end(script: string) {
        const { exit, stdout = '', stderr = '' } = run(command, script);
        channel.push(stdout);
        channel.stderr.write(stderr);
        setImmediate(() => {
          channel.emit('exit', exit);
          channel.emit('close');
        });
      },
    });
    opened(undefined, channel);
  };
  return Object.assign(new EventEmitter(), { exec }) as unknown as ssh2.Client;
}

/** This machine, as a host whose shell greets each command that comes over SSH. */
const loginThatGreets: ScriptedHost = {
  scope: { workspace: 'default', infra: 'shop', uuid: 'u-1' },
  server: 'box',
  async open() {
    const client = connectionTo((command, input) => {
      const ran = spawnSync('sh', ['-c', `printf ${quote(GREETING)}; ${command}`], { input, encoding: 'utf8' });
      return { ...ran, exit: ran.status };
    });
    return { exec: (script, options) => execOn(client, { on: 'box', isRoot: true }, script, options), close() {} };
  },
};

/** How a command over SSH fails if sudo says this. */
const sudoSays = (stderr: string): Promise<unknown> =>
  execOn(
    connectionTo(() => ({ exit: 1, stderr })),
    { on: 'box', isRoot: false },
    'true',
  ).catch((error) => error.details);

const SUDO_REFUSED = { code: 'sudo-refused', blame: 'user', hint: expect.any(String) };

/** A root file system as `df -P` prints it. */
const DF = 'space: /dev/vda1 20G 20G 0 100% /\ninodes: /dev/vda1 1310720 500000 810720 39% /';

export const HOSTS: Record<string, Play> = {
  39: () => {
    const deploy = { name: 'deploy', uid: 1000, gid: 1000, home: '/srv/deploy', shell: '/bin/sh', ours: false, groups: ['deploy'] };
    const facts = { accounts: { accounts: [deploy], groups: ['root', 'deploy'] } };
    const said = (user: object) => steps('users', { users: [{ name: 'deploy', ...user }] }, { facts });
    expect(said({ groups: ['apps'] }).map(({ title }) => title)).toEqual(['Create the group apps', 'Add deploy to apps']);
    // A home that the definition names is made.
    expect(said({ home: '/srv/other' })).toEqual([
      expect.objectContaining({ run: expect.stringContaining('mkdir -m 0700 ./other') }),
    ]);
  },
  41: async () => {
    const ask = async (host: ScriptedHost) => bindToOwnHost(await host.open(), host).exec('true');
    expect(await ask(greeting())).toMatchObject({ exit: 0 });
    // The owner of the host is printed after a mark, on standard error.
    const others = greeting('', { exit: FOREIGN, stderr: `${GREETING}\n${FOREIGN_PREFIX} u-2 default other\n` });
    await expect(ask(others)).rejects.toMatchObject({ details: { why: 'infra "other" of workspace "default" (u-2) manages it' } });
  },
  '41b': () =>
    withFiles({ x: 'five5', 'x.sha256': `${'a'.repeat(64)}\n` }, async (folder) => {
      expect(await hostFiles(loginThatGreets).describe(join(folder, 'x'))).toEqual({ sha256: 'a'.repeat(64), size: 5 });
    }),
  43: async () => expect(await sudoSays('sudo: sorry, you must have a tty to run sudo\n')).toMatchObject(SUDO_REFUSED),
  44: async () => {
    for (const said of ['sudo: a password is required\n', 'ann is not in the sudoers file.\nsudo: ann not allowed\n'])
      expect(await sudoSays(said)).toMatchObject(SUDO_REFUSED);
  },
  45: () => {
    const fault = hostFault('write the journal', 'box', `bash: echo: write error: No space left on device\n${DF}`);
    expect(fault?.details).toMatchObject({ code: 'host-disk-full', on: 'box', why: expect.stringContaining('the disk is full') });
    expect(fault?.details.why).toContain('0 of 20G of / are free');
  },
  46: () => {
    const runner = renderRunner({ journal: '/j', nonce: 'n', items: [] });
    expect(runner.indexOf('\nexport LC_ALL=C ')).toBeLessThan(runner.indexOf('item() {'));
    expect(renderAttach({ journal: '/j', nonce: 'n', items: [], payloads: [] })).toContain('\nexport LC_ALL=C ');
  },
  48: () => {
    const home = (length: number) => {
      const root = `/${'h'.repeat(length - 1)}`;
      return { root, engine: join(root, 'engine'), socket: join(root, 'worker.sock'), warm: join(root, 'warm.sock') };
    };
    expect(() => checkSocketPaths(home(100))).toThrow(/its path is \d+ bytes too long for its sockets/);
    expect(() => checkSocketPaths(home(60))).not.toThrow();
  },
};
