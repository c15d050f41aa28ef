import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import type { Passage } from '../app/method.js';
import { connect } from '../client/connect.js';
import { remoteClient } from '../client/socket/socket-client.js';
import { serveShared } from './shared-socket.js';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'shared-'));
  await chmod(place, 0o750);
});
afterEach(() => rm(place, { recursive: true, force: true }));

const socket = () => join(place, 'worker.sock');
const failure = (code: string) => ({ details: expect.objectContaining({ code }) });

/** Actors of the calls that are recorded. */
const actors: string[] = [];
const serve = () =>
  serveShared({ PROVISIONING_WORKER_SOCKET: socket() }, (principal) =>
    createDispatcher({
      engine: { stores: {}, existing: async () => new Set() } as unknown as Engine,
      principal,
      audit: async ({ caller }: Passage) => {
        actors.push(caller.principal.actor);
        return async () => {};
      },
    }),
  );

test('the group of the folder may open the socket, and nobody else; records name the group', async () => {
  actors.length = 0;
  const gateway = await serve();
  const { gid } = await stat(place);
  const found = await stat(socket());
  expect([found.mode & 0o777, found.gid]).toEqual([0o660, gid]);
  const client = await connect({ env: { PROVISIONING_SOCKET: socket(), PROVISIONING_HOME: join(place, 'none') } });
  expect((await client.topologies.list({})).length).toBeGreaterThan(0);
  expect(actors).toEqual([`gid-${gid}@${hostname()}`]);
  await client.close();
  await gateway?.close();
});

test('its callers use no paths of the machine of the worker', async () => {
  const gateway = await serve();
  const client = await remoteClient(socket());
  await expect(client.backups.list({ folder: '/root' })).rejects.toMatchObject(failure('forbidden'));
  await expect(client.backups.list({})).rejects.toMatchObject(failure('no-worker'));
  await client.close();
  await gateway?.close();
});

test('a folder that others may write to is refused, on both sides', async () => {
  const gateway = await serve();
  for (const mode of [0o770, 0o757]) {
    await chmod(place, mode);
    await expect(serve()).rejects.toMatchObject(failure('folder-not-private'));
    await expect(remoteClient(socket())).rejects.toMatchObject(failure('folder-not-private'));
  }
  await gateway?.close();
});

test('without a folder there is no socket, and a file in its place stays', async () => {
  await writeFile(socket(), 'a file');
  await expect(serve()).rejects.toThrow('EADDRINUSE');
  expect((await stat(socket())).isFile()).toBe(true);
  await rm(place, { recursive: true });
  await expect(serve()).rejects.toMatchObject(failure('bad-settings'));
  expect(await serveShared({}, () => expect.fail())).toBeUndefined();
});

test('if nothing answers, the home of the asker is not used instead', async () => {
  const env = { PROVISIONING_SOCKET: socket(), PROVISIONING_HOME: join(place, 'home') };
  await expect(connect({ env })).rejects.toMatchObject(failure('no-worker'));
});
