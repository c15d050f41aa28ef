import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aptRepository, makeSigningKey, type SigningKey } from '../../test/support/mirror/apt-repository.js';
import { type MirrorServer, serveMirror } from '../../test/support/mirror/mirror.js';
import { runAside } from '../../test/support/mirror/run-aside.js';
import { FoundFile } from '../host/facts.js';
import { ensureAptSource } from './apt-source.js';

const absent = (path: string) => new FoundFile(path, { exists: false });

// apt itself judges the repository. Hosts have it, but not every machine that runs tests.
describe.skipIf(!existsSync('/usr/bin/apt-get'))('a repository is read aside', () => {
  let server: MirrorServer;
  let good: SigningKey;
  let other: SigningKey;
  let old: SigningKey;

  beforeAll(async () => {
    [good, other, old] = await Promise.all([makeSigningKey(), makeSigningKey(), makeSigningKey({ expired: true })]);
    const files = new Map<string, Buffer>([['/page/dists/stable/InRelease', Buffer.from('<html><body>Log in</body></html>')]]);
    for (const [name, key] of Object.entries({ good, other, old })) {
      const repository = await aptRepository({ suite: 'stable', component: 'main' }, [], key);
      for (const [path, content] of repository) files.set(`/${name}${path}`, content);
    }
    server = await serveMirror(files);
  }, 60_000);
  afterAll(() => server.close());

  const ask = async ({ at, key = good, fingerprint = key.fingerprint }: { at: string; key?: SigningKey; fingerprint?: string }) => {
    const source = {
      ...{ name: 'echo', uri: `http://localhost:${server.port}/${at}`, suite: 'stable', components: ['main'] },
      ...{ packages: ['echo'], key: key.public, fingerprint },
    };
    const found = { aptKey: absent('/k'), aptPin: absent('/p'), aptSource: absent('/s'), codename: 'bookworm' };
    const [step] = ensureAptSource(source, found, '1.4', undefined);
    if (!step || !('run' in step)) throw new Error('nothing is checked');
    const { ok, stdout, left } = await runAside(step.run, String(step.stdin));
    return { said: ok ? 'it can be used' : stdout, left };
  };

  test(
    'and can be used where its key is right',
    async () => expect(await ask({ at: 'good' })).toEqual({ said: 'it can be used', left: [] }),
    60_000,
  );

  test.each([
    ['another key has signed it', () => ask({ at: 'other' }), 'it is signed by another key: '],
    ['its key has expired', () => ask({ at: 'old', key: old }), 'the key by which it is signed has expired'],
    ['it answers a web page', () => ask({ at: 'page' }), 'what it answers is no list of packages: a web page, perhaps'],
    ['there is none', () => ask({ at: 'nowhere' }), 'there is none: 404 Not Found'],
    ['its key has another fingerprint', () => ask({ at: 'good', fingerprint: '0'.repeat(40) }), 'and 0000000000'],
  ])(
    'and is refused in one line where %s',
    async (_, asked, why) => {
      const { said, left } = await asked();
      expect(said).toMatch(/^cannot use the repository echo at http:\/\/localhost:\d+\/\w+ stable: [^\n]+$/);
      expect(said).toContain(why);
      expect(left).toEqual([]);
    },
    60_000,
  );

  test('and nothing is asked of it where its key is none', async () => {
    const before = server.asked.length;
    expect((await ask({ at: 'good', key: { ...good, public: 'hello' } })).said).toContain('its key is no armored public key');
    expect(server.asked.length).toBe(before);
  }, 60_000);
});
