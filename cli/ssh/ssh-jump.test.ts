import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseLoginKey } from '../../app/logins/login-key.js';
import { parseSignRequest } from '../../app/logins/sign-request.js';
import { makePair } from '../../stores/key-pair.js';
import type { KeyPair } from '../../stores/keys.js';
import { startSickServer } from '../../test/support/sick-server.js';
import { type SshHost, startSshHost } from '../../test/support/ssh-host.js';
import { createLoginFolder, type LoginFolder } from './login-folder.js';
import { runThere } from './run-there.js';
import { shellOn } from './ssh.js';

const missing = (await execa('ssh', ['-V'], { reject: false })).failed;

describe.skipIf(missing)('the system’s ssh through a jump host', () => {
  let folder: string;
  let own: KeyPair;
  let jump: SshHost;
  let host: SshHost;
  /** Public host keys by port of the jump host. A port without an entry has no pinned key. */
  let pinned: Map<number, string>;
  const opened: LoginFolder[] = [];

  beforeEach(async () => {
    // A valid path with characters that are special to shells and ssh.
    folder = await mkdtemp(join(tmpdir(), "it's a folder "));
    await mkdir(join(folder, 'r 100%d'));
    own = makePair('own');
    pinned = new Map();
    [jump, host] = await Promise.all([startSshHost(), startSshHost()]);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.remove()));
    await Promise.all([jump.close(), host.close()]);
    await rm(folder, { recursive: true });
  });

  const connectionBy = (port: number) =>
    ({ kind: 'ssh', address: '127.0.0.1', port: host.port, user: 'root', jump: `ops@127.0.0.1:${port}` }) as const;
  /** Creates the folder of a login through the jump host, and records the signed logins. */
  const prepare = async (port: number, signed: string[] = []) => {
    const key = parseLoginKey(own.private, 'own', 'the key');
    const hostKey = pinned.get(port);
    const through = { address: '127.0.0.1', port, user: 'ops', ...(hostKey !== undefined && { hostKey }) };
    const login = {
      server: 's',
      address: '127.0.0.1',
      port: host.port,
      user: 'root',
      hostKey: host.publicKey,
      publicKey: key.line,
    };
    const sign = async (_: string, isJump: boolean, data: Buffer) => {
      const { algorithm, user } = parseSignRequest(data);
      signed.push(`${user}${isJump ? ' at the jump host' : ''}`);
      return key.sign(algorithm, data);
    };
    const made = await createLoginFolder({ XDG_RUNTIME_DIR: join(folder, 'r 100%d') }, [{ ...login, jump: through }], sign);
    opened.push(made);
    return made.folder;
  };
  const ssh = async (port: number, signed: string[] = []) => {
    const around = { keys: await prepare(port, signed), interactive: false };
    const { program, args } = shellOn({ name: 's', connection: connectionBy(port) }, around, ['true']);
    return execa(program, args, { reject: false, timeout: 30_000, env: { HOME: folder } });
  };
  const pinJump = async (key: string) => void pinned.set(jump.port, key);

  test('goes where both keys are the pinned ones', { timeout: 40_000 }, async () => {
    await pinJump(jump.publicKey);
    const signed: string[] = [];
    const { stderr } = await ssh(jump.port, signed);
    expect(stderr).toBe('');
    expect(signed).toEqual(['ops at the jump host', 'root']);
    expect(jump.forwarded).toEqual([`127.0.0.1:${host.port}`]);
    expect(host.most).toEqual([1]);
  });

  test('a command that goes through it is told from a host that is not reached', { timeout: 40_000 }, async () => {
    const to = async (port: number) =>
      runThere({ name: 's', connection: connectionBy(port) }, { keys: await prepare(port), what: 'run the command' }, ['true']);
    expect(await to(jump.port)).toMatchObject({ reached: false, stderr: { text: expect.stringMatching(/host key/i) } });
    await pinJump(jump.publicKey);
    expect(await to(jump.port)).toMatchObject({ reached: true });
  });

  test.each([
    ['another one', () => pinJump(makePair('another').public)],
    ['not known', async () => {}],
  ])('stops where the jump host’s key is %s', { timeout: 40_000 }, async (_, prepare) => {
    await prepare();
    const { exitCode, stderr } = await ssh(jump.port);
    expect(exitCode).toBe(255);
    expect(stderr).toMatch(/host key/i);
    expect([jump.forwarded, host.most]).toEqual([[], []]);
  });

  test('ends by itself where the jump host says nothing', { timeout: 40_000 }, async () => {
    const sick = await startSickServer('silent');
    const { exitCode, timedOut } = await ssh(sick.port);
    expect([exitCode, timedOut]).toEqual([255, false]);
    await sick.close();
  });
});
