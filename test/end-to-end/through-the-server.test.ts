import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { sweep, whyNoHosts } from '../support/hosts.js';

const PROGRAM = resolve(import.meta.dirname, '../../bin/provisioning.js');
const INFRA = `through-${process.pid}`;
const LOCAL_PORT = 20_000 + (process.pid % 20_000);

const why = await whyNoHosts();
if (why) console.warn(`skipped: ${why}`);
const traces = (await execa('strace', ['-V'], { reject: false })).exitCode === 0;

describe.skipIf(why !== undefined)(
  'a user with a token and the address of the API server, and nothing else',
  { timeout: 240_000 },
  () => {
    let engine: TestEngine;
    let place: string;
    let env: NodeJS.ProcessEnv;
    let port: number;

    beforeAll(async () => {
      place = await mkdtemp('/tmp/through-');
      engine = await startTestEngine();
      const up = await execa(process.execPath, [PROGRAM, 'up', '--api', '--listen', '127.0.0.1:0', '--json'], {
        env: engine.env,
        extendEnv: false,
      });
      const { url, code, authority } = JSON.parse(up.stdout).api;
      await mkdir(join(place, 'work'));
      env = {
        PATH: process.env.PATH,
        HOME: place,
        PROVISIONING_HOME: join(place, 'home'),
        PROVISIONING_SERVER: url,
        PROVISIONING_SERVER_CA: authority,
      };
      const redeem = ['-sS', '--cacert', authority, '-H', 'Content-Type: application/json', '-d', JSON.stringify({ code })];
      const { stdout } = await execa('curl', [...redeem, `${url}/v1/first-administrator`]);
      env.PROVISIONING_TOKEN = JSON.parse(stdout).token;
      await writeFile(
        join(place, 'work/box.json'),
        JSON.stringify({ infra: INFRA, provider: 'local', servers: [{ name: 'box' }] }),
      );
      await execa(process.execPath, [PROGRAM, 'apply', 'box.json', '--yes', '--json'], {
        env: engine.env,
        cwd: join(place, 'work'),
      });
      const inventory = await (await engine.client()).infras.inventory({ workspace: 'default', infra: INFRA });
      const { connection } = inventory?.servers.box ?? {};
      port = connection?.kind === 'ssh' ? connection.port : 0;
      expect(port).toBeGreaterThan(0);
    });
    afterAll(async () => {
      await engine?.stop();
      if (!why) await sweep(INFRA);
      await rm(place, { recursive: true, force: true });
    });

    const options = () => ({ env, extendEnv: false, cwd: join(place, 'work'), reject: false });
    const run = (...args: string[]) => execa(process.execPath, [PROGRAM, ...args], options());
    const connections = async () =>
      (await (await engine.client()).audit.list({ limit: 100 })).filter(({ method }) => method === 'servers.connect');

    test('runs a command and reads its output, its exit code and its input', async () => {
      const ran = await run('server', 'ssh', 'box', '--', 'id -un; exit 7');
      expect([ran.exitCode, ran.stdout, ran.stderr]).toEqual([7, 'root', '']);
      // More than any buffer on the way.
      const input = 'abcdefgh'.repeat(1024 * 1024);
      const counted = await execa(process.execPath, [PROGRAM, 'server', 'ssh', 'box', '--', 'wc -c'], { ...options(), input });
      expect(counted.stdout.trim()).toBe(String(input.length));
      expect(await connections()).toContainEqual(
        expect.objectContaining({ actor: 'service-account:admin', outcome: 'done', resource: `Server default/${INFRA}/box` }),
      );
    });

    test('runs a command on all servers', async () => {
      const ran = await run('exec', 'all', '--infra', INFRA, '--json', '--', 'echo hello');
      expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
      expect(JSON.parse(ran.stdout)).toMatchObject({ servers: [{ server: 'box', exit: 0, stdout: 'hello\n' }] });
    });

    test('reaches a port of the server through a tunnel', async () => {
      const tunnel = spawn(process.execPath, [PROGRAM, 'server', 'tunnel', 'box', '22', String(LOCAL_PORT)], {
        ...{ env, cwd: join(place, 'work'), stdio: ['ignore', 'pipe', 'inherit'] },
      });
      try {
        const lines = createInterface({ input: tunnel.stdout as NodeJS.ReadableStream });
        // A tunnel that cannot be opened ends without output.
        const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
        expect(line).toContain(`127.0.0.1:${LOCAL_PORT}`);
        const socket = connect(LOCAL_PORT, '127.0.0.1');
        const [greeting] = (await once(socket, 'data')) as [Buffer];
        socket.destroy();
        expect(greeting.toString()).toMatch(/^SSH-2\.0-/);
      } finally {
        tunnel.kill('SIGINT');
        await once(tunnel, 'close');
      }
    });

    test.skipIf(!traces)('connects to the API server alone, with the token in no argument and no key on disk', async () => {
      const trace = join(place, 'trace');
      const traced = ['-f', '-qq', '-s', '4096', '-e', 'trace=connect,execve', '-o', trace, process.execPath, PROGRAM];
      const ran = await execa('strace', [...traced, 'server', 'ssh', 'box', '--', 'true'], options());
      expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
      const text = await readFile(trace, 'utf8');
      const ports = new Set([...text.matchAll(/connect\(.*?sin6?_port=htons\((\d+)\)/g)].map(([, found]) => Number(found)));
      expect([...ports]).toEqual([Number(new URL(env.PROVISIONING_SERVER ?? '').port)]);
      expect(ports).not.toContain(port);
      const started = text.split('\n').filter((line) => line.includes('execve('));
      // The system's ssh, and its connection command.
      expect(started.some((line) => line.includes('"__connect"'))).toBe(true);
      const [, , secret = ''] = (env.PROVISIONING_TOKEN ?? '').split('_');
      expect(secret.length).toBeGreaterThan(20);
      expect(started.filter((line) => line.includes(secret))).toEqual([]);
      const left = await readdir(join(place, 'home'), { recursive: true }).catch((): string[] => []);
      expect(left.filter((name) => /(^|\/)(keys|secrets)(\/|$)/.test(name))).toEqual([]);
    });

    test('is refused without the right to log in, and by a revoked token', async () => {
      const made = await run('service-account', 'create', 'default/reader', '--role', 'viewer');
      expect(made.exitCode).toBe(0);
      const token = (await run('token', 'create', 'default/reader')).stdout.trim().split('\n').at(-1);
      const refused = await execa(process.execPath, [PROGRAM, 'server', 'ssh', 'box', '--', 'true'], {
        ...options(),
        env: { ...env, PROVISIONING_TOKEN: token },
      });
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('server:login')]);
      const before = (await connections()).length;
      // `__connect` skips the command's own check, so the connection itself checks the permission.
      const direct = await execa(process.execPath, [PROGRAM, '__connect', 'default', INFRA, 'box'], {
        ...options(),
        env: { ...env, PROVISIONING_TOKEN: token },
      });
      expect([direct.exitCode, direct.stderr]).toEqual([2, expect.stringContaining('server:login')]);
      const records = await connections();
      expect(records.length).toBe(before + 1);
      expect(records.some(({ outcome, actor }) => outcome === 'refused' && actor === 'service-account:default/reader')).toBe(true);
    });

    test('is cut off within ten seconds after the token was revoked', async () => {
      const text = (await run('token', 'create', 'admin')).stdout.trim().split('\n').at(-1) ?? '';
      const shell = execa(process.execPath, [PROGRAM, 'server', 'ssh', 'box', '--', 'echo ready; sleep 60'], {
        ...options(),
        env: { ...env, PROVISIONING_TOKEN: text },
      });
      const lines = createInterface({ input: shell.stdout as NodeJS.ReadableStream });
      const [first] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
      expect(first).toBe('ready');
      const from = performance.now();
      expect((await run('token', 'revoke', text.split('_')[1] ?? '', '--yes')).exitCode).toBe(0);
      const { exitCode } = await shell;
      expect(exitCode).not.toBe(0);
      // The ten seconds begin with the revocation. The command itself needs a moment more.
      expect(performance.now() - from).toBeLessThan(20_000);
    });
  },
);
