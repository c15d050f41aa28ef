import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aptRepository, makeSigningKey, type SigningKey } from '../../test/support/mirror/apt-repository.js';
import { type MirrorServer, serveMirror } from '../../test/support/mirror/mirror.js';
import { runAside } from '../../test/support/mirror/run-aside.js';
import { aptConfig } from './apt-config.js';
import { checkSources } from './check-sources.js';
import { confText, sourceText } from './source-text.js';

// apt itself judges the sources. Hosts have it, but not every machine that runs tests.
describe.skipIf(!existsSync('/usr/bin/apt-get'))('sources of a distribution are read aside', () => {
  let server: MirrorServer;
  let good: SigningKey;

  beforeAll(async () => {
    const other = await makeSigningKey();
    good = await makeSigningKey();
    const page = Buffer.from('<html><body>Log in</body></html>');
    const files = new Map<string, Buffer>();
    for (const [archive, suites] of Object.entries({
      debian: ['stable', 'stable-updates'],
      'debian-security': ['stable-security'],
    }))
      for (const suite of suites) {
        files.set(`/page/${archive}/dists/${suite}/InRelease`, page);
        for (const [name, key] of Object.entries({ good, other }))
          for (const [path, content] of await aptRepository({ suite, component: 'main' }, [], key))
            files.set(`/${name}/${archive}${path}`, content);
      }
    server = await serveMirror(files);
  }, 60_000);
  afterAll(() => server.close());

  const ask = (at: string, config: Record<string, string> = {}) => {
    const wanted = aptConfig.parse(config);
    const mirrors = [{ from: 'http://deb.debian.org', to: `http://localhost:${server.port}/${at}`, key: good.public }];
    return runAside(checkSources({ sources: sourceText(wanted, 'stable', mirrors), conf: confText(wanted) }));
  };

  test('and can be used where the mirror has them, signed by its key', async () =>
    expect(await ask('good')).toMatchObject({ ok: true, stderr: '', left: [] }));

  test.each([
    ['another key has signed them', 'other', {}, /signed by another key than Debian's: name the key of the mirror/],
    ['a web page answers', 'page', {}, /a web page, perhaps/],
    ['there is nothing', 'nowhere', {}, /does not have a Release file/],
    ['the proxy does not answer', 'good', { proxy: 'http://127.0.0.1:9' }, /Release file|Could not connect|Failed to fetch/],
  ])('and are refused in one line where %s', async (_, at, config, why) => {
    const { stderr: said, left } = await ask(at, config);
    expect(said).toMatch(/^packages cannot be fetched: [^\n]+$/);
    expect(said).toMatch(why);
    expect(left).toEqual([]);
  });
});
