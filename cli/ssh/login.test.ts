import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type ServerChannel } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDispatcher } from '../../app/dispatch.js';
import type { Engine } from '../../app/engine.js';
import { createGroupMember } from '../../app/principal.js';
import { clientOver } from '../../client/client.js';
import { jumpKeyName } from '../../core/definition/jump-host.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import { homeOf } from '../../home/home.js';
import { keyFiles } from '../../stores/files/key-files.js';
import { makePair } from '../../stores/key-pair.js';
import type { KeyPair } from '../../stores/keys.js';
import { testText } from '../../test/support/private-text.js';
import { type SshHost, startSshHost } from '../../test/support/ssh-host.js';
import { runLine } from '../fake-run.js';

const owner = { workspace: 'default', infra: 'shop' };
const blobOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64');

/** Returns the lines that only the private key file has. The file includes the public half too. */
const secretLinesOf = ({ private: text, public: half }: KeyPair) =>
  text.split('\n').filter((line) => line.length > 20 && !line.includes('-----') && !half.includes(line));

describe.skipIf(spawnSync('ssh', ['-V']).error !== undefined)('a command that logs in by ssh', () => {
  let folder: string;
  let engine: Engine;
  let pair: KeyPair;
  let mine: KeyPair;
  let host: SshHost;
  let jump: SshHost;
  /**
   * State visible to other programs of this machine while a command ran on the host: arguments and files of the
   * command.
   */
  let seen: { arguments: string; files: Record<string, string> }[] = [];

  const look = () => {
    const args = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
        } catch {
          return [];
        }
      });
    const run = join(folder, 'run');
    const names = (readdirSync(run, { recursive: true, encoding: 'utf8' }) as string[]).filter((name) =>
      statSync(join(run, name)).isFile(),
    );
    seen.push({
      arguments: args.join('\n'),
      files: Object.fromEntries(names.map((name) => [name.replace(/^.*\//, ''), readFileSync(join(run, name), 'utf8')])),
    });
  };

  const answer = (channel: ServerChannel, command: string) => {
    look();
    // The first query is for the owner: the host has no owner.
    channel.write(command.includes('owner') ? '' : `ran: ${command}\n`);
    channel.exit(0);
    channel.end();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'login-'));
    for (const name of ['run', 'mine']) mkdirSync(join(folder, name), { mode: 0o700 });
    const keys = keyFiles(join(folder, 'keys'), testText);
    pair = await keys.infraKey(owner);
    mine = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    writeFileSync(join(folder, 'mine/id'), mine.private, { mode: 0o600 });
    const known = [blobOf(pair.public), blobOf(mine.public)];
    const accepts = (key: Buffer) => known.some((one) => one.equals(key));
    [host, jump] = await Promise.all([startSshHost({ accepts, exec: answer }), startSshHost({ accepts })]);
    const connection = { kind: 'ssh', address: '127.0.0.1', port: host.port, user: 'root' } as const;
    const connections = {
      web: connection,
      'web-2': connection,
      behind: { ...connection, jump: `ops@127.0.0.1:${jump.port}` },
      mine: { ...connection, identity: join(folder, 'mine/id') },
      changed: connection,
    };
    for (const name of ['web', 'web-2', 'behind', 'mine']) await keys.pin(owner, name, host.publicKey);
    await keys.pin(owner, 'changed', makePair('another').public);
    await keys.pin(owner, jumpKeyName({ address: '127.0.0.1', port: jump.port }), jump.publicKey);
    const servers = Object.fromEntries(
      Object.entries(connections).map(([name, connection]) => [
        name,
        { name, connection, provider: 'local', id: name, spec: { group: name, role: 'all' }, services: {}, since: 'op' },
      ]),
    );
    const inventory = { ...emptyInventory({ ...owner, uuid: 'u-1' }), servers };
    engine = {
      temporal: {
        options: { namespace: 'provisioning' },
        workflowService: {
          describeWorkflowExecution: async () => ({ workflowExecutionInfo: { execution: { runId: 'run' }, status: 1 } }),
        },
        workflow: { getHandle: () => ({ query: async () => inventory }) },
      },
      stores: { keys },
      beside: {
        home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
        env: { PROVISIONING_WORKER_IDENTITIES: join(folder, 'mine/id') },
      },
    } as unknown as Engine;
  });
  afterAll(async () => {
    await Promise.all([host?.close(), jump?.close()]);
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    seen = [];
  });

  const run = async (line: string, methods: { [name: string]: (input: never) => Promise<unknown> } = {}) => {
    const dispatcher = createDispatcher({ engine, principal: createGroupMember('gid-7@desk') });
    const answers: typeof methods = { 'infras.list': async () => ({ items: ['shop'] }), ...methods };
    const call = (name: string, input: unknown) => answers[name]?.(input as never) ?? dispatcher.call(name, input);
    const env = { XDG_RUNTIME_DIR: join(folder, 'run'), PROVISIONING_SOCKET: '/run/worker.sock' };
    const connect = async () => clientOver({ ...dispatcher, call, close: async () => {} });
    const ended = await runLine(line, { connect, env, root: join(folder, 'own-home') });
    // Nothing is left.
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
    return ended;
  };

  test.each([
    ['to a server', 'exec web -- uptime --pretty', 1],
    ['to several at once', 'exec web,web-2 -- uptime --pretty', 2],
    ['through a jump host', 'exec behind -- uptime --pretty', 1],
    ['with a key that the definition names', 'exec mine -- uptime --pretty', 1],
  ])('works without the private key: %s', async (_, line, count) => {
    const { code, out, err } = await run(`${line} --json`.replace(/^(exec \S+) (-- .*) --json$/, '$1 --json $2'));
    expect([code, err]).toEqual([0, '']);
    const { servers } = JSON.parse(out) as { servers: { exit: number; stdout: string }[] };
    expect(servers.map(({ exit, stdout }) => [exit, stdout])).toEqual(Array(count).fill([0, 'ran: uptime --pretty\n']));
    // Once to query the host's owner, once for the command.
    expect(seen).toHaveLength(2 * count);
    // The observed arguments include those of the ssh that runs the command.
    expect(seen.filter((one) => one.arguments.includes('uptime --pretty')).length).toBeGreaterThanOrEqual(count);
    for (const { arguments: args, files } of seen) {
      expect(Object.keys(files).sort()).toEqual(['known_hosts', expect.stringMatching(/^id.*\.pub$/)].sort());
      const secret = [pair, mine].flatMap(secretLinesOf);
      expect(secret.length).toBeGreaterThan(6);
      expect([args, ...Object.values(files)].filter((text) => secret.some((line) => text.includes(line)))).toEqual([]);
      expect(Object.values(files).filter((text) => text.includes('PRIVATE'))).toEqual([]);
    }
  });

  test('stops at a host that shows another key, for which nothing is signed', async () => {
    const signed: unknown[] = [];
    const { code, out } = await run('exec changed --json -- true', { 'servers.signLogin': async (input) => signed.push(input) });
    expect([code, JSON.parse(out).servers[0].why]).toEqual([3, expect.stringMatching(/host key/i)]);
    expect([signed, seen]).toEqual([[], []]);
  });

  test('ends by itself if the platform signs nothing, or says nonsense', async () => {
    for (const signLogin of [
      async () => Promise.reject(new Error('no')),
      async () => ({ signature: 'AAAA' }),
      async () => ({ signature: '' }),
    ]) {
      const { code, out } = await run('exec web --json -- true', { 'servers.signLogin': signLogin });
      expect([code, JSON.parse(out).servers[0]]).toMatchObject([3, { exit: null, why: expect.stringMatching(/sign|denied/i) }]);
    }
    expect(seen).toEqual([]);
  });

  test('the method refuses what a command may not do, before ssh begins', async () => {
    const refused = { 'servers.login': async () => Promise.reject(new Error('you may not do "server:login"')) };
    for (const line of ['exec web -- true', 'server ssh web -- true']) {
      const { code, err } = await run(line, refused);
      expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('server:login')]);
      expect(code).not.toBe(0);
    }
    expect(seen).toEqual([]);
  });
});
