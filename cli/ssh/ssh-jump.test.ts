import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jumpKeyName } from '../../core/definition/jump-host.js';
import { keyFiles } from '../../stores/files/key-files.js';
import { makePair } from '../../stores/key-pair.js';
import type { KeyStore } from '../../stores/keys.js';
import { testText } from '../../test/support/private-text.js';
import { startSickServer } from '../../test/support/sick-server.js';
import { type SshHost, startSshHost } from '../../test/support/ssh-host.js';
import { runThere } from './run-there.js';
import { shellOn } from './ssh.js';

const missing = (await execa('ssh', ['-V'], { reject: false })).failed;
const owner = { workspace: 'w', infra: 'i' };

describe.skipIf(missing)('the system’s ssh through a jump host', () => {
  let folder: string;
  let keys: KeyStore;
  let jump: SshHost;
  let host: SshHost;

  beforeEach(async () => {
    // What a path may hold, and a shell or ssh would take for its own.
    folder = await mkdtemp(join(tmpdir(), "it's a folder "));
    keys = keyFiles(folder, testText);
    const own = await keys.infraKey(owner);
    // Sealed in the store; ssh is given a copy (authoring/secrets/key-folder.ts).
    await writeFile(join(folder, 'w', 'i', 'id_ed25519'), own.private, { mode: 0o600 });
    [jump, host] = await Promise.all([startSshHost(), startSshHost()]);
    await keys.pin(owner, 's', host.publicKey);
  });
  afterEach(async () => {
    await Promise.all([jump.close(), host.close()]);
    await rm(folder, { recursive: true });
  });

  const ssh = (port: number) => {
    const connection = { kind: 'ssh', address: '127.0.0.1', port: host.port, user: 'root', jump: `ops@127.0.0.1:${port}` } as const;
    const around = { keys: join(folder, 'w', 'i'), interactive: false };
    const { program, args } = shellOn({ name: 's', connection }, around, ['true']);
    return execa(program, args, { reject: false, timeout: 30_000, env: { HOME: folder } });
  };
  const pinJump = (key: string) => keys.pin(owner, jumpKeyName({ address: '127.0.0.1', port: jump.port }), key);

  test('goes where both keys are the pinned ones', { timeout: 40_000 }, async () => {
    await pinJump(jump.publicKey);
    const { stderr } = await ssh(jump.port);
    expect(stderr).toBe('');
    expect(jump.forwarded).toEqual([`127.0.0.1:${host.port}`]);
    expect(host.most).toEqual([1]);
  });

  test('a command that goes through it is told from a host that is not reached', { timeout: 40_000 }, async () => {
    const to = (port: number) => {
      const connection = {
        kind: 'ssh',
        address: '127.0.0.1',
        port: host.port,
        user: 'root',
        jump: `ops@127.0.0.1:${port}`,
      } as const;
      return runThere({ name: 's', connection }, { keys: join(folder, 'w', 'i'), what: 'run the command' }, ['true']);
    };
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
