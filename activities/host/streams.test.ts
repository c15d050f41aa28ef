import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makePair } from '../../stores/key-pair.js';
import { execOn } from './ssh/ssh-exec.js';
import { logIn } from './ssh/ssh-login.js';
import { thisMachine } from './this-machine/this-machine.js';
import type { ExecOptions, ExecResult } from './transport.js';

let server: ssh2.Server;
let client: ssh2.Client;
beforeAll(async () => {
  server = new ssh2.Server({ hostKeys: [makePair('host').private] }, (connection) => {
    connection.on('authentication', (context) => context.accept()).on('error', () => {});
    connection.on('session', (accept) => {
      accept().on('exec', (accepted, _, { command }) => {
        const channel = accepted();
        const child = spawn('bash', ['-c', command], { detached: true });
        channel.pipe(child.stdin).on('error', () => {});
        child.stdout.pipe(channel, { end: false });
        // ssh2's server forgets one of its two streams if both wait for the client's window: what is said comes last.
        const said: Buffer[] = [];
        child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
        child.once('close', (code) => {
          channel.write('', () =>
            channel.stderr.end(Buffer.concat(said), () => {
              channel.exit(code ?? 255);
              channel.end();
            }),
          );
        });
        channel.once('close', () => child.pid && child.exitCode === null && process.kill(-child.pid, 'SIGKILL'));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { private: privateKey } = makePair('test');
  client = await logIn({ address: '127.0.0.1', port, user: 'root', privateKey, on: 'a', verify: () => true });
});
afterAll(() => {
  client.end();
  server.close();
});

const overSsh = (script: string, options?: ExecOptions): Promise<ExecResult> =>
  execOn(client, { on: 'a', isRoot: true }, script, options);
const isRoot = process.getuid?.() === 0;

const sha = (data: Buffer) => createHash('sha256').update(data).digest('hex');

describe.each([['over SSH', overSsh] as const, ...(isRoot ? [['on this machine', thisMachine.exec] as const] : [])])(
  '%s',
  (_, exec) => {
    const data = randomBytes(3 * 1024 * 1024);

    test('bytes come in and go out as they are', async () => {
      expect(await exec('sha256sum', { input: Readable.from([data]) })).toMatchObject({ exit: 0, stdout: `${sha(data)}  -\n` });
      const chunks: Buffer[] = [];
      const output = new Writable({
        write(chunk, _encoding, done) {
          chunks.push(chunk);
          setImmediate(done);
        },
      });
      expect(await exec('cat; echo said >&2', { input: Readable.from([data]), output })).toMatchObject({
        exit: 0,
        stderr: 'said\n',
      });
      expect(sha(Buffer.concat(chunks))).toBe(sha(data));
    });

    test.each([undefined, 60_000])(
      'it ends with what takes its output, before or meanwhile, with a limit of %s ms',
      async (limitMs) => {
        const output = new PassThrough();
        const fault = new Error('the disk is full');
        output.once('data', () => output.destroy(fault));
        const folder = await mkdtemp(join(tmpdir(), 'streams-'));
        const note = join(folder, 'pid');
        await expect(exec(`sh -c 'echo $$ >${note}; exec cat /dev/zero'; true`, { output, limitMs })).rejects.toThrow(
          'the disk is full',
        );
        const pid = Number(await readFile(note, 'utf8'));
        // One that ended has no command line, also if nothing has asked how it ended.
        const runs = async () => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';
        await vi.waitFor(async () => expect(await runs()).toBe(false), { timeout: 60_000 });
        await expect(exec('cat /dev/zero', { output })).rejects.toThrow('the disk is full');
        await rm(folder, { recursive: true });
      },
    );

    test('it ends with what gives it input', async () => {
      const input = new PassThrough();
      input.write('begun');
      setTimeout(() => input.destroy(new Error('the other host is gone')), 50);
      await expect(exec('cat >/dev/null', { input })).rejects.toThrow('the other host is gone');
    });
  },
);
