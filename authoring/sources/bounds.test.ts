import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BOUNDS, type Bounds, createBudget } from './bounds.js';
import { gitServer, TestRepository, type TestServer, testServer } from './fixtures.js';
import { commitAt, fetchArchive } from './git-source.js';

const KiB = 1024;
const MiB = 1024 * KiB;

describe('a repository that a stranger wrote', () => {
  let top = '';
  const servers: TestServer[] = [];
  const started = async (server: Promise<TestServer>): Promise<TestServer> => {
    servers.push(await server);
    return server;
  };
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'bounds-'));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    rmSync(top, { recursive: true });
  });
  const budget = (less: Partial<Bounds> = {}) => createBudget({ ...BOUNDS, ...less });
  /** Returns the arguments of all processes on this machine. */
  const running = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((id) => {
        try {
          return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
        } catch {
          return '';
        }
      });

  test('is fetched up to a bound of bytes', async () => {
    const commit = new TestRepository(join(top, 'large')).put('data', randomBytes(600 * KiB)).commit();
    const server = await started(gitServer(top));
    const url = `${server.url}/large`;
    const within = (fetched: number) =>
      fetchArchive(process.env, { url, isLocal: false, budget: budget({ fetched }) }, commit, 'main');
    await expect(within(256 * KiB)).rejects.toMatchObject({
      message: 'the server sends more than 256 KiB, the limit for one source',
      suggestion: expect.stringContaining('source: { directory: PATH }'),
    });
    expect((await within(2 * MiB)).archive.length).toBeGreaterThan(600 * KiB);
  });

  test('is read up to a bound of time, which all questions share, and nothing goes on behind it', async () => {
    const server = await started(testServer());
    const url = `${server.url}/slow`;
    const slow = { url, isLocal: false, budget: budget({ seconds: 0.4 }) };
    const begun = performance.now();
    const late = 'Git did not finish within 0.4 s, the limit for one source';
    await expect(commitAt(process.env, slow, 'main')).rejects.toThrow(late);
    expect(server.connections()).toBe(1);
    await expect(fetchArchive(process.env, slow, '1'.repeat(40), 'main')).rejects.toThrow(late);
    expect(performance.now() - begun).toBeLessThan(5_000);
    await expect.poll(() => running().filter((words) => words.includes(url)), { timeout: 5_000 }).toEqual([]);
  });

  test('whose server names references without end is told of', async () => {
    const server = await started(
      testServer((_, response) => {
        const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
        response.write(`001e# service=git-upload-pack\n0000${line(`${'a'.repeat(40)} HEAD\0multi_ack\n`)}`);
        const names = Array.from({ length: 5_000 }, (_one, index) => line(`${'a'.repeat(40)} refs/heads/x${index}\n`)).join('');
        const more = (): void => {
          if (response.destroyed) return;
          if (response.write(names)) setImmediate(more);
          else response.once('drain', more);
        };
        more();
      }),
    );
    const place = { url: `${server.url}/endless`, isLocal: false, budget: budget({ seconds: 20, memory: 24 * MiB }) };
    await expect(commitAt(process.env, place, 'main')).rejects.toThrow(
      'Git needs more than 24 MiB of memory, the limit for one source',
    );
  });

  test('is taken up to bounds of its archive, its list of files and its paths', async () => {
    const repository = new TestRepository(join(top, 'many')).put('data', 'x'.repeat(64 * KiB));
    for (let index = 0; index < 50; index += 1) repository.put(`file-${index}`, '');
    const commit = repository.commit();
    const within = (less: Partial<Bounds>, one = commit) =>
      fetchArchive(process.env, { url: repository.folder, isLocal: true, budget: budget(less) }, one, 'main');
    await expect(within({ archive: 32 * KiB })).rejects.toThrow('it is larger than 32 KiB');
    await expect(within({ answer: KiB })).rejects.toThrow('the list of its files is larger than 1 KiB, the limit for one source');
    expect((await within({})).archive.length).toBeGreaterThan(64 * KiB);
    // A tree may be deeper than any file system supports.
    let tree = repository.git('rev-parse', 'HEAD^{tree}');
    for (let depth = 0; depth < 3; depth += 1) tree = repository.tree(tree, 'd'.repeat(2_000));
    const deep = repository.git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit-tree', '-m', 'deep', tree);
    await expect(within({}, deep)).rejects.toThrow('has a path of more than 4096 characters');
  });
});
