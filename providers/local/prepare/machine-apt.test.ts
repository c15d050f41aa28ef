import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aptSettings, machineSources } from './machine-apt.js';

const etc = mkdtempSync(join(tmpdir(), 'provisioning-apt-'));
afterAll(() => rmSync(etc, { recursive: true, force: true }));
for (const folder of ['sources.list.d', 'apt.conf.d', 'auth.conf.d']) mkdirSync(join(etc, folder));

describe("a machine's apt", () => {
  it('is known by its mirrors, those in a list of mirrors included', async () => {
    const mirrors = join(etc, 'mirrors.list');
    writeFileSync(mirrors, '# ours\nhttp://near.example/debian priority:1\n');
    writeFileSync(join(etc, 'sources.list'), `deb mirror+file://${mirrors} bookworm main\n`);
    writeFileSync(
      join(etc, 'sources.list.d/off.sources.disabled'),
      'Types: deb\nURIs: http://off.example/debian\nSuites: bookworm\nComponents: main\n',
    );
    // The list itself does not look like a Debian archive; only its entries do.
    expect(await machineSources('bookworm', etc)).toMatchObject([{ uris: ['http://near.example/debian'], suites: ['bookworm'] }]);
  });

  it('is none where there are no sources', async () => {
    expect(await machineSources('bookworm', join(etc, 'nowhere'))).toEqual([]);
  });

  it('hands on how mirrors are reached, and keeps its hooks', async () => {
    const write = (name: string, text: string) => writeFileSync(join(etc, name), text);
    write('apt.conf.d/10-proxy', 'Acquire::http::Proxy "http://proxy.example:3128";\n');
    write('apt.conf.d/20-hook', 'Acquire::Languages "none";\nDPkg::Post-Invoke { "true"; };\n');
    write('apt.conf.d/30-other', 'APT::Install-Suggests "false";\n');
    write('auth.conf.d/mirror.conf', 'machine mirror.example login x password y\n');
    expect(await aptSettings(etc)).toEqual([join(etc, 'apt.conf.d/10-proxy'), join(etc, 'auth.conf.d/mirror.conf')]);
  });
});
