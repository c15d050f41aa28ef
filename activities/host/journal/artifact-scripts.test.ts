import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ArtifactAction, deliverFromWorker } from '../../../core/host/artifact.js';
import { markBeside } from '../../../core/host/artifact-marks.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { executeSteps, undoSteps } from './execute.js';
import { openSealedFiles } from './sealed-journal.js';

/** When the server's files were last changed, by which a client tells whether what it has is a part of them. */
const CHANGED = new Date('2026-11-01T12:00:00Z');

let folder: string;
let server: Server;
let archive: Buffer;
let ranges: (string | undefined)[];

/** An archive of a program, as vendors have it: in a folder that is named after the version. */
function makeArchive(): Buffer {
  const source = join(folder, 'source/echo-1.2');
  mkdirSync(join(source, 'share'), { recursive: true });
  writeFileSync(join(source, 'echo'), '#!/bin/sh\necho 1.2\n', { mode: 0o775 });
  writeFileSync(join(source, 'share/words'), 'a b c\n'.repeat(1000), { mode: 0o600 });
  execFileSync('tar', ['-czf', join(folder, 'echo.tar.gz'), '-C', join(folder, 'source'), 'echo-1.2']);
  return readFileSync(join(folder, 'echo.tar.gz'));
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'artifact-'));
  archive = makeArchive();
  ranges = [];
  server = createServer((request, response) => {
    if (request.url === '/page') return void response.end('<!DOCTYPE html><title>Log in</title>');
    if (request.url !== '/echo.tar.gz') return void response.writeHead(404).end();
    ranges.push(request.headers.range);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const size = archive.length;
    response.writeHead(from > 0 ? 206 : 200, {
      'last-modified': CHANGED.toUTCString(),
      'content-length': size - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
    });
    response.end(archive.subarray(from));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const wanted = (how: Partial<ArtifactAction> = {}): ArtifactAction => ({
  state: 'present',
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/echo.tar.gz`,
  sha256: sha256(archive),
  to: join(folder, 'opt/echo/1.2'),
  unpack: 'tar',
  strip: 1,
  ...how,
});

/** A host, on which a step is done and undone. */
function host() {
  const { state, host } = journalHost(folder);
  const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };
  const scope = { workspace: 'w', infra: 'shop', uuid: 'u' };
  let count = 0;
  let printed = '';
  const on = (artifact: ArtifactAction) => {
    count += 1;
    const steps = [{ title: 'Fetch echo', artifact }];
    const job = { scope, server: 'db-1', operation: `op-${count}`, taskserv: 'echo', generation: 1, sealer };
    return {
      act: () => {
        printed = '';
        return executeSteps(host, { ...job, owner: 'u w shop', steps, reveal: String }, (event) => {
          printed += JSON.stringify(event);
        });
      },
      undo: async () => undoSteps(host, { ...job, steps, opened: await openSealedFiles(host, job, sealer) }, () => {}),
    };
  };
  return { downloads: join(state, 'downloads'), on, printed: () => printed };
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe.runIf(mayMount)('an artifact', { timeout: 120_000 }, () => {
  test('is fetched, unpacked as a whole, kept, and undone with the folders around it', async () => {
    const { on, downloads } = host();
    const { to } = wanted();
    const { act, undo } = on(wanted());
    expect(await act()).toEqual({ how: 'ok' });
    expect(execFileSync(join(to, 'echo'), { encoding: 'utf8' })).toBe('1.2\n');
    expect([modeOf(to), modeOf(join(to, 'echo')), modeOf(join(to, 'share/words'))]).toEqual(['755', '755', '644']);
    expect(readdirSync(downloads)).toEqual([]);
    // It is there: nothing is fetched again.
    expect(await on(wanted()).act()).toEqual({ how: 'ok' });
    expect(ranges).toEqual([undefined]);
    expect(await undo()).toEqual({ how: 'ok' });
    expect(existsSync(join(folder, 'opt/echo'))).toBe(false);
  });

  test('that was there before is no business of an undo', async () => {
    const { on } = host();
    await on(wanted()).act();
    const { act, undo } = on(wanted());
    await act();
    expect(await undo()).toEqual({ how: 'ok' });
    expect(existsSync(wanted().to)).toBe(true);
  });

  test('that is no archive is a program of the name that is wanted', async () => {
    const { on } = host();
    expect(await on(wanted({ unpack: undefined, as: 'echo' })).act()).toEqual({ how: 'ok' });
    expect(readFileSync(join(wanted().to, 'echo'))).toEqual(archive);
    expect(modeOf(join(wanted().to, 'echo'))).toBe('755');
  });

  test('is removed, and fetched again where that is undone', async () => {
    const { on } = host();
    await on(wanted()).act();
    const { act, undo } = on(wanted({ state: 'absent' }));
    expect(await act()).toEqual({ how: 'ok' });
    expect(existsSync(join(folder, 'opt/echo'))).toBe(false);
    expect(await undo()).toEqual({ how: 'ok' });
    expect(existsSync(join(wanted().to, 'echo'))).toBe(true);
  });

  test('goes on where an earlier try ended', async () => {
    const { on, downloads } = host();
    mkdirSync(downloads, { recursive: true });
    const part = join(downloads, sha256(archive));
    writeFileSync(part, archive.subarray(0, 100));
    utimesSync(part, CHANGED, CHANGED);
    expect(await on(wanted()).act()).toEqual({ how: 'ok' });
    expect(ranges).toEqual(['bytes=100-']);
  });

  test.each<[string, { sha256?: string; url?: string }, RegExp]>([
    ['has another hash', { sha256: '0'.repeat(64) }, /SHA-256 is [0-9a-f]{64}, and 0{64} is wanted/],
    ['is a web page', { url: '/page' }, /answers something else than the artifact, but a web page/],
    ['is not there', { url: '/nothing' }, /404.*cannot fetch/],
  ])('that %s leaves nothing', async (_, how, said) => {
    const { on, downloads, printed } = host();
    const url = how.url && new URL(how.url, wanted().url).href;
    expect(await on(wanted({ ...how, ...(url && { url }) })).act()).toMatchObject({ how: 'failed' });
    expect(printed()).toMatch(said);
    expect(existsSync(wanted().to)).toBe(false);
    expect(readdirSync(downloads)).toEqual([]);
  });

  test('that the worker fetched is held to its hash, and returns by an undo without the server', async () => {
    const { on, downloads, printed } = host();
    const brought = deliverFromWorker(wanted());
    mkdirSync(downloads, { recursive: true });
    writeFileSync(join(downloads, brought.sha256), 'something else');
    expect(await on(brought).act()).toMatchObject({ how: 'failed' });
    expect(printed()).toMatch(/came with the SHA-256 [0-9a-f]{64}, and/);
    expect([existsSync(brought.to), readdirSync(downloads)]).toEqual([false, []]);
    writeFileSync(join(downloads, brought.sha256), archive);
    expect(await on(brought).act()).toEqual({ how: 'ok' });
    const [, url = ''] = readFileSync(join(folder, 'opt/echo', markBeside('1.2')), 'utf8').split('\n');
    const { act, undo } = on({ ...wanted({ state: 'absent' }), url });
    await act();
    expect(existsSync(brought.to)).toBe(false);
    expect(await undo()).toEqual({ how: 'ok' });
    expect(existsSync(join(brought.to, 'echo'))).toBe(true);
    expect(ranges).toEqual([]);
  });

  test('takes the place of nothing else', async () => {
    const { on, printed } = host();
    mkdirSync(wanted().to, { recursive: true });
    writeFileSync(join(wanted().to, 'mine'), 'x');
    expect(await on(wanted()).act()).toMatchObject({ how: 'failed' });
    expect(printed()).toContain('something else is there');
    expect(readdirSync(wanted().to)).toEqual(['mine']);
  });
});
