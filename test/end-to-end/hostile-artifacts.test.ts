import { afterAll, beforeAll, expect, test } from 'vitest';
import { DOWNLOADS, deploy, everything } from '../support/artifact-victim.js';
import { HONEST, HOSTILE, PRIZE } from '../support/hostile-archives.js';
import { bringBuild, honestBuild, LIES } from '../support/lying-builder.js';
import { type ShellHost, startShellHost } from '../support/shell-host.js';

const isLong = process.env.LONG === '1';

let host: ShellHost;
let builder: ShellHost;
beforeAll(async () => {
  [host, builder] = await Promise.all([startShellHost(), startShellHost()]);
});
afterAll(() => Promise.all([host?.remove(), builder?.remove()]));

test('a host takes an honest archive, and nothing of one that harms it', async () => {
  const archive = HONEST();
  const { how, said, undo } = await deploy(host, archive, '1.0');
  expect({ how, said }).toMatchObject({ how: 'ok' });
  const seen = await host.shell("cd /opt/app-shop/1.0; find . -printf '%y %m %U %P %l\\0' | sort -z | tr '\\0' '|'");
  expect(seen.split('|').filter(Boolean)).toEqual([
    'd 755 0  ',
    'd 755 0 bin ',
    'f 644 0 .hidden ',
    'f 644 0 a b\nc ',
    'f 644 0 index.html ',
    'f 644 0 same ',
    'f 755 0 bin/shop ',
    'l 777 0 bin/to ../bin/./shop',
    'l 777 0 current bin',
    'l 777 0 later not/yet',
  ]);
  expect(await host.shell('/opt/app-shop/1.0/current/to')).toBe('shop');
  expect(await host.shell(`stat -c '%U %a %F' /opt/app-shop/.1.0.provisioning-artifact; ls -A ${DOWNLOADS}`)).toBe(
    'root 644 regular file',
  );

  const before = await everything(host);
  for (const { title, archive, said: why } of HOSTILE) {
    const { how, said, undo } = await deploy(host, archive(), 'evil');
    expect({ title, how }).toEqual({ title, how: 'failed' });
    expect(said, title).toMatch(why);
    expect(await everything(host), title).toBe(before);
    expect(await undo(), title).toEqual({ how: 'ok' });
    expect(await everything(host), title).toBe(before);
  }
  expect(await host.shell(`[ -e ${PRIZE} ] || echo none`)).toBe('none');

  expect(await undo()).toEqual({ how: 'ok' });
  expect(await host.shell('ls -A /opt')).toBe('');
});

test('a release that a former version of this program put there stays, and a link is never its mark', async () => {
  const archive = HONEST();
  const { artifact } = await deploy(host, archive, '2.0');
  const marks = 'cd /opt/app-shop; mv .2.0.provisioning-artifact 2.0/.provisioning-artifact; stat -c %i 2.0';
  const inode = await host.shell(marks);
  expect(await deploy(host, archive, '2.0')).toMatchObject({ how: 'ok' });
  expect(await host.shell('stat -c %i /opt/app-shop/2.0')).toBe(inode);

  await host.shell('cd /opt/app-shop; mv 2.0/.provisioning-artifact /etc/mark; ln -s /etc/mark 2.0/.provisioning-artifact');
  const refused = await deploy(host, archive, '2.0');
  expect(refused).toMatchObject({ how: 'failed', said: expect.stringContaining('something else is there') });
  await host.shell('cd /opt/app-shop; mv /etc/mark .2.0.provisioning-artifact; rm 2.0/.provisioning-artifact');

  // An archive that cannot be downloaded again is set aside, and returns with its mark.
  const removed = await deploy(host, archive, '2.0', { ...artifact, state: 'absent' });
  expect(removed.how).toBe('ok');
  expect(await host.shell('ls -A /opt')).toBe('');
  expect(await removed.undo()).toEqual({ how: 'ok' });
  expect(await host.shell('ls -A /opt/app-shop')).toBe('.2.0.provisioning-artifact\n2.0');
});

test('a host takes what another one has built, and nothing of a building host that lies', async () => {
  const built = honestBuild();
  const first = await bringBuild(builder, host, built);
  expect(first).toMatchObject({ how: 'ok' });
  expect(await host.shell(`cat ${first.to}/noise | wc -c`)).toBe('1966080');
  const before = await everything(host);
  // Without LONG, a sample of each kind. `npm run attacks building-hosts` plays all.
  const some = <T>(all: readonly T[], step: number) => all.filter((_, index) => isLong || index % step === 0);
  for (const { title, script, said: why } of some(LIES, 3)) {
    const { how, said } = await bringBuild(builder, host, HONEST(), script);
    expect({ title, how }).not.toEqual({ title, how: 'ok' });
    expect(said, title).toMatch(why);
  }
  // An archive from root of a building host is checked like every archive.
  for (const { title, archive, said: why } of some(HOSTILE, 12)) {
    const { how, said } = await bringBuild(builder, host, archive());
    expect({ title, how }).toEqual({ title, how: 'failed' });
    expect(said, title).toMatch(why);
  }
  expect(await everything(host)).toBe(before);
  expect(await bringBuild(builder, host, HONEST())).toMatchObject({ how: 'ok' });
});
