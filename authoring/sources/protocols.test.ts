import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { app } from '../../taskservs/app/app.js';
import { TestRepository, type TestServer, testServer } from './fixtures.js';
import { commitAt } from './git-source.js';

describe('the URL of a source', () => {
  let top = '';
  const servers: TestServer[] = [];
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'protocols-'));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    rmSync(top, { recursive: true });
  });
  const serving = async (...answer: Parameters<typeof testServer>): Promise<TestServer> => {
    const server = await testServer(...answer);
    servers.push(server);
    return server;
  };

  test.each([
    ...['ext::sh -c true', 'file:///srv/shop', 'git://git.example.org/shop', 'ftp://git.example.org/shop', 'helper::x'],
    ...['-oProxyCommand=true', '--upload-pack=true', 'ssh://-oProxyCommand=true/x', '-x@git.example.org:shop'],
    ...['https://ann:secret@git.example.org/shop', 'https://git.example.org/a b', ''],
  ])('is not %j', (git) => {
    expect(app.sources?.safeParse({ git }).success).toBe(false);
  });

  test.each([
    ...['https://git.example.org/shop.git', 'http://git.example.org/shop', 'ssh://git@git.example.org:22/shop'],
    ...['git@git.example.org:shop.git', './shop', '../shop', '/srv/shop'],
  ])('may be %j', (git) => {
    expect(app.sources?.safeParse({ git }).success).toBe(true);
  });

  test('starts no program and reads no file, whatever Git is allowed in the environment', async () => {
    const mark = join(top, 'MARK');
    const { folder } = new TestRepository(join(top, 'shop')).put('x', '');
    const env = { ...process.env, GIT_ALLOW_PROTOCOL: 'ext:file', GIT_PROTOCOL_FROM_USER: '1' };
    const asked = (url: string) => commitAt(env, { url, isLocal: false }, 'HEAD');
    await expect(asked(`ext::touch ${mark}`)).rejects.toThrow("'ext' not allowed");
    await expect(asked(`file://${folder}`)).rejects.toThrow("'file' not allowed");
    await expect(asked(folder)).rejects.toThrow("'file' not allowed");
    await expect(asked(`--upload-pack=touch ${mark}`)).rejects.toThrow();
    expect(existsSync(mark)).toBe(false);
  });

  test('leads to no other protocol by the answer of a server', async () => {
    const { folder } = new TestRepository(join(top, 'shop')).put('x', '');
    const server = await serving((request, response) => {
      const query = new URL(request.url ?? '', 'http://localhost').search;
      response.writeHead(302, { location: `file://${folder}/.git/info/refs${query}` }).end();
    });
    await expect(commitAt(process.env, { url: `${server.url}/shop`, isLocal: false }, 'HEAD')).rejects.toThrow('Git cannot read');
  });

  test('that needs a password asks nobody for it', async () => {
    const server = await serving((_, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end());
    const { GIT_ASKPASS: _, SSH_ASKPASS: __, ...env } = process.env;
    const begun = performance.now();
    await expect(commitAt(env, { url: `${server.url}/shop`, isLocal: false }, 'HEAD')).rejects.toThrow(
      `no access to ${server.url}/shop`,
    );
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
