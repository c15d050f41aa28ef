import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askBeforePrograms } from '../../definition/languages/run-limited.js';
import { serveOne } from './serve-one.js';
import { GO, placeOfProcess, type WarmReply, type WarmRequest } from './warm-request.js';

let folder: string;
let server: Server;
let busy: boolean;
const done = vi.fn();
const leave = vi.fn();
const replaced = vi.fn();
const build = 'this';
const here = process.cwd();

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'warm-')));
  busy = false;
  done.mockReset();
  leave.mockReset();
  replaced.mockReset();
  server = createServer(
    (socket) => void serveOne(socket, { build, place: placeOfProcess(), take: () => !busy, done, replaced, leave }),
  );
  await once(server.listen(join(folder, 'warm.sock')), 'listening');
  await writeFile(join(folder, 'infra.json'), JSON.stringify({ infra: 'shop', servers: [{ name: 'a', provider: 'demo' }] }));
});
afterEach(async () => {
  process.chdir(here);
  askBeforePrograms(undefined);
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const asked = (argv: string[], more: Partial<WarmRequest> = {}): WarmRequest => ({
  ...{ build, place: placeOfProcess(), argv, cwd: folder, umask: 0o22 },
  env: { PATH: process.env.PATH ?? '', PROVISIONING_HOME: join(folder, 'home'), WORD: 'spoken' },
  ...more,
});

async function opened(request: WarmRequest): Promise<{ socket: Socket; next(): Promise<WarmReply> }> {
  const socket = connect(join(folder, 'warm.sock'));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  socket.write(`${JSON.stringify(request)}\n`);
  return { socket, next: async () => JSON.parse((await lines.next()).value) as WarmReply };
}

/** Runs a command and returns its output and its exit code. */
async function carriedOut(request: WarmRequest): Promise<{ out: string; err: string; exit: number | 'refused' }> {
  const { socket, next } = await opened(request);
  expect(await next()).toEqual({ ready: true });
  socket.write(`${GO}\n`);
  const said = { out: '', err: '' };
  for (;;) {
    const reply = await next();
    if ('out' in reply) said.out += reply.out;
    if ('err' in reply) said.err += reply.err;
    if ('exit' in reply) return { ...said, exit: reply.exit };
    if ('refused' in reply) return { ...said, exit: 'refused' };
  }
}

test('a command is carried out in the folder and the environment of who asks, and neither stays', async () => {
  const before = [process.env.WORD, process.umask()];
  await writeFile(
    join(folder, 'infra.yaml'),
    'infra: shop\ninterpolate: true\nvars: { word: { env: WORD } }\nservers: [{ name: a, provider: demo }]\n',
  );
  expect(await carriedOut(asked(['validate', 'infra.json', '--json']))).toMatchObject({ err: '', exit: 0 });
  const bad = await carriedOut(asked(['validate', 'infra.yaml']));
  const absent = await carriedOut(asked(['validate', 'other.yaml']));
  expect(absent).toMatchObject({ exit: 2, out: expect.stringContaining('other.yaml') });
  expect(bad).toMatchObject({ exit: 2, out: expect.stringContaining('infra.yaml:3') });
  expect([process.env.WORD, process.umask()]).toEqual(before);
  expect(process.cwd()).toBe('/');
  expect(done).toHaveBeenCalledTimes(3);
  expect(leave).not.toHaveBeenCalled();
});

test.each([
  ['of another build', { build: 'other' }],
  ['of another user, or elsewhere', { place: 'elsewhere' }],
  ['that asks for help', { argv: ['validate', '--help'] }],
  ['that is none', { argv: ['validata'] }],
])('a command %s is refused', async (_, more) => {
  expect(await (await opened(asked(['validate', 'infra.json'], more))).next()).toEqual({ refused: true });
  expect(replaced).toHaveBeenCalledTimes('build' in more ? 1 : 0);
});

test('a second command is refused while one is carried out', async () => {
  busy = true;
  expect(await (await opened(asked(['validate', 'infra.json']))).next()).toEqual({ refused: true });
});

test('a program is left to who asks: it runs where it was named', async () => {
  await writeFile(join(folder, 'infra.ts'), 'export default {}');
  expect(await carriedOut(asked(['validate', 'infra.ts']))).toEqual({ out: '', err: '', exit: 'refused' });
  expect(leave).toHaveBeenCalled();
});

test('nothing is begun before it is told to, and what nobody waits for any more ends', async () => {
  const early = await opened(asked(['validate', 'infra.json']));
  await early.next();
  early.socket.destroy();
  await vi.waitFor(() => expect(done).toHaveBeenCalledOnce(), 30_000);
  expect(leave).not.toHaveBeenCalled();

  const late = await opened(asked(['validate', 'infra.json']));
  await late.next();
  late.socket.end(`${GO}\n`);
  late.socket.destroySoon();
  await vi.waitFor(() => expect(leave.mock.calls.length + done.mock.calls.length).toBeGreaterThan(1), 30_000);
});
