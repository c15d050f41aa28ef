import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, onTestFinished } from 'vitest';
import type { NewBackup } from '../../core/engine/backup.js';
import { LARGE } from '../../encryption/payload-codec.js';
import { homeOf } from '../../home/home.js';
import { openStores } from '../../stores/open-stores.js';
import { readArchive } from '../../workers/engine/backup/archive-reader.js';
import { readManifest } from '../../workers/engine/backup/manifest.js';
import { down } from '../../workers/engine/down.js';
import { provisioning } from './command-line.js';
import type { TestEngine } from './engine.js';

export const OWNER = { workspace: 'default', infra: 'shop' };
export const SECRET = 'correct horse battery staple';
export const PAGE = 'a page of a plan '.repeat(50);

/**
 * Fills the stores with data that the demo provider's hosts do not need: keys, secrets, logs, a page, a large payload.
 */
export async function fill({ home, env, encryption, taskQueue }: TestEngine): Promise<void> {
  const { keys, secrets, blobs, logs, payloads, close } = await openStores(home, env);
  await keys.infraKey(OWNER);
  await keys.hostKey(OWNER, 'web-1');
  await keys.pin(OWNER, 'web-2', (await keys.hostKey(OWNER, 'web-1')).public);
  await secrets.set('shared/token', SECRET);
  await secrets.within({ workspace: 'default' }).set('password', `${SECRET} 2`);
  await secrets.within(OWNER).set('password', `${SECRET} 3`);
  await blobs.put(PAGE);
  const log = await logs.open({
    operation: 'cluster-ensure-shop-1',
    server: 'web-1',
    taskserv: 'nginx',
    generation: 1,
    attempt: 1,
  });
  log.write('what the host printed, größer als ASCII');
  await log.close();
  const large = defaultPayloadConverter.toPayload(randomBytes(LARGE).toString('base64'));
  const workflow = { type: 'workflow', workflowId: taskQueue, namespace: 'provisioning' } as const;
  await encryption.codec('provisioning', payloads).encode([large as Payload], workflow);
  await close();
}

/**
 * Restores a backup into empty folders of a home with the printed commands, while the first home is away.
 *
 * @param said output of the commands that created the backup and the recovery copy
 */
export async function restoreElsewhere(engine: TestEngine, place: string, said: string, passphrase: string): Promise<void> {
  const away = join(place, 'first-machine');
  const machine = join(place, 'second-machine');
  const sops = join(place, 'prod.sops.yaml');
  await writeFile(sops, 'password: from-git\n');
  const [, recipient = ''] = (await provisioning(engine, ['key', 'list', '--json'])).stdout.match(/(age1[a-z0-9]+)/) ?? [];
  expect(await provisioning(engine, ['secret', 'encrypt', sops, '--age', recipient])).toMatchObject({ code: 0 });
  expect(await readFile(sops, 'utf8')).not.toContain('from-git');
  const commands = said
    .split('\n')
    .filter((line) => line.startsWith('  provisioning '))
    .map((line) => line.trim().split(' ').slice(1));
  expect(commands.map(([first, second]) => [first, second])).toEqual([
    ['key', 'import'],
    ['backup', 'restore'],
    ['up', undefined],
  ]);
  await down(engine.home);
  const first = join(engine.home.root, '..');
  await rename(first, away);
  onTestFinished(async () => {
    await rm(first, { recursive: true, force: true });
    await rename(away, first);
    await engine.up();
  });
  await mkdir(machine);
  const names = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'PROVISIONING_HOME'];
  const places = Object.fromEntries(names.map((name) => [name, join(machine, name)]));
  const env = { ...engine.env, ...places, HOME: machine };
  const second = { env };
  try {
    for (const command of commands) {
      const { code, stderr, stdout } = await provisioning(second, command, command[0] === 'key' ? passphrase : '');
      expect([command.join(' '), code, code === 0 ? '' : `${stderr}${stdout}`]).toEqual([command.join(' '), 0, '']);
    }
    expect((await provisioning(second, ['secret', 'decrypt', sops])).stdout).toContain('from-git');
    expect(await provisioning(second, ['secret', 'get', 'password', '--reveal'])).toMatchObject({
      stdout: `${SECRET} 2\n`,
      code: 0,
    });
    expect((await provisioning(second, ['inventory', 'shop', '--json'])).stdout).toContain('web-1');
    // Imported keys are a recovery copy too.
    const back = await provisioning(second, ['backup', 'create', '--json', '--out', join(machine, 'back.tar')]);
    expect([back.code, (JSON.parse(back.stdout) as NewBackup).complete]).toEqual([0, true]);
  } finally {
    await down(homeOf(env));
  }
}

/** Damages one entry of each kind in a copy of an archive, and expects that verify and restore reject it. */
export async function refuseDamaged(engine: TestEngine, place: string, archive: string, keyFile: string): Promise<void> {
  const { manifest } = await readArchive(archive, (open) => readManifest(archive, open));
  const entries = await readArchive(archive, async (open) => open.entries);
  for (const kind of ['engine', 'secret', 'key'] as const) {
    const bad = join(place, `bad-${kind}.tar`);
    await copyFile(archive, bad);
    const entry = manifest.entries.find((one) => one.kind === kind);
    const found = entries.get(entry?.entry ?? '');
    const file = await open(bad, 'r+');
    const at = (found?.at ?? 0) + (found?.size ?? 0) - 3;
    await file.write(Buffer.from([0xff, 0, 0xff]), 0, 3, at);
    await file.close();
    const { code, stderr } = await provisioning(engine, ['backup', 'verify', bad]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`(${entry?.entry})`)]);
    const args = ['backup', 'restore', bad, '--to', join(place, 'never'), '--key', keyFile, '--yes'];
    const into = await provisioning(engine, args);
    expect([into.code, into.stderr]).toEqual([2, expect.stringContaining(`(${entry?.entry})`)]);
  }
  expect(await readdir(join(place, 'never'))).toEqual([]);
}
