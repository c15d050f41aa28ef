import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gitServer, TestRepository, type TestServer } from './fixtures.js';
import { fetchArchive } from './git-source.js';
import { submoduleWarning } from './submodule-warning.js';

describe('submodules of a source', () => {
  let top = '';
  let server: TestServer;
  beforeEach(async () => {
    top = mkdtempSync(join(tmpdir(), 'submodules-'));
    server = await gitServer(top);
  });
  afterEach(async () => {
    await server.close();
    rmSync(top, { recursive: true });
  });

  test('are named if the release has an empty folder for them, and are not fetched', async () => {
    const long = `${'a-long-name/'.repeat(12)}lib`;
    const commit = new TestRepository(join(top, 'shop'))
      .put('server.js', '1')
      .put('.gitmodules', `[submodule "lib"]\n\tpath = vendor/lib\n\turl = ${server.url}/stranger\n`)
      .put('.gitattributes', 'docs/theme export-ignore\nleft-out export-ignore\n')
      .submodule('vendor/lib')
      .submodule(long)
      .submodule('docs/theme')
      .submodule('left-out/lib')
      .commit();
    for (const place of [
      { url: `${server.url}/shop`, isLocal: false },
      { url: join(top, 'shop'), isLocal: true },
    ]) {
      const { archive, submodules } = await fetchArchive(process.env, place, commit, 'main');
      expect(submodules).toEqual([long, 'vendor/lib']);
      const listed = execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' }).split('\n');
      expect(listed.filter((path) => path.includes('lib'))).toEqual([`${long}/`, 'vendor/lib/']);
    }
    expect(server.asked.filter((path) => !path.startsWith('/shop/'))).toEqual([]);
    expect(server.asked).not.toEqual([]);
  });

  test('make no warning if there is none, and one that names what is missing and what helps', () => {
    expect(submoduleWarning('https://git.example.org/shop.git', [])).toBeUndefined();
    const [message, suggestion] = submoduleWarning('https://git.example.org/shop.git', ['vendor/lib']) ?? [];
    expect(message).toBe(
      'the folder vendor/lib is empty in the release: it is a submodule of https://git.example.org/shop.git, and submodules are not fetched',
    );
    expect(suggestion).toMatch(/--recurse-submodules.*source: \{ directory: PATH \}.*export-ignore in \.gitattributes/);
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'a\u001b[2Jb'];
    expect(submoduleWarning('/shop', many)?.[0]).toMatch(
      /^the folders a, b, c, d, e, and 2 more are empty in the release: they are submodules of \/shop,/,
    );
    expect(submoduleWarning('/shop', many.slice(6))?.[0]).not.toContain('\u001b');
  });
});
