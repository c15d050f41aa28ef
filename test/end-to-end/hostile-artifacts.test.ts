import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeSteps, undoSteps } from '../../activities/host/journal/execute.js';
import { openSealedFiles } from '../../activities/host/journal/sealed-journal.js';
import type { ArtifactAction } from '../../core/host/artifact.js';
import { HONEST, HOSTILE, PRIZE } from '../support/hostile-archives.js';
import { type ShellHost, startShellHost } from '../support/shell-host.js';

const DOWNLOADS = '/var/lib/provisioning/downloads';
const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };

let host: ShellHost;
let count = 0;
beforeAll(async () => {
  host = await startShellHost();
});
afterAll(() => host?.remove());

/** Brings an archive to the host, and does the step that unpacks it; `undo` rolls it back. */
async function deploy(archive: Buffer, name: string, former?: ArtifactAction) {
  count += 1;
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const artifact: ArtifactAction = former ?? {
    state: 'present',
    url: `the build ${name}`,
    sha256,
    from: { kept: [] },
    to: `/opt/app-shop/${name}`,
    unpack: 'tar',
  };
  const text = archive.toString('base64').replace(/(.{76})/g, '$1\n');
  await host.shell(`install -d -m 0700 ${DOWNLOADS}; base64 -d >${DOWNLOADS}/${sha256} <<'END'\n${text}\nEND`);
  const steps = [{ title: 'Deploy', artifact }];
  const job = {
    scope: { workspace: 'w', infra: 'shop', uuid: 'u' },
    server: 'web-1',
    operation: `op-${count}`,
    taskserv: 'app',
    generation: 1,
    sealer,
  };
  let said = '';
  const ended = await executeSteps(host.transport, { ...job, owner: 'u w shop', steps, reveal: String }, (event) => {
    if (event.event === 'output') said += `${event.text}\n`;
  });
  const undo = async () =>
    undoSteps(host.transport, { ...job, steps, opened: await openSealedFiles(host.transport, job, sealer) }, () => {});
  return { artifact, how: ended.how, said, undo };
}

/** All that is on the host outside of the kernel's folders and the journal, with its kind, mode and owner. */
const everything = () =>
  host.shell(
    "find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /var/lib/provisioning/operations \\) -prune -o -printf '%y %m %u %s %p -> %l\\n' | grep -v ' /\\(tmp\\|var/lib/provisioning\\)\\( \\|/lock\\|$\\)' | LC_ALL=C sort",
  );

test('a host takes an honest archive, and nothing of one that harms it', async () => {
  const archive = HONEST();
  const { how, said, undo } = await deploy(archive, '1.0');
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

  const before = await everything();
  for (const { title, archive, said: why } of HOSTILE) {
    const { how, said, undo } = await deploy(archive(), 'evil');
    expect({ title, how }).toEqual({ title, how: 'failed' });
    expect(said, title).toMatch(why);
    expect(await everything(), title).toBe(before);
    expect(await undo(), title).toEqual({ how: 'ok' });
    expect(await everything(), title).toBe(before);
  }
  expect(await host.shell(`[ -e ${PRIZE} ] || echo none`)).toBe('none');

  expect(await undo()).toEqual({ how: 'ok' });
  expect(await host.shell('ls -A /opt')).toBe('');
});

test('a release that a former version of this program put there stays, and a link is never its mark', async () => {
  const archive = HONEST();
  const { artifact } = await deploy(archive, '2.0');
  const marks = 'cd /opt/app-shop; mv .2.0.provisioning-artifact 2.0/.provisioning-artifact; stat -c %i 2.0';
  const inode = await host.shell(marks);
  expect(await deploy(archive, '2.0')).toMatchObject({ how: 'ok' });
  expect(await host.shell('stat -c %i /opt/app-shop/2.0')).toBe(inode);

  await host.shell('cd /opt/app-shop; mv 2.0/.provisioning-artifact /etc/mark; ln -s /etc/mark 2.0/.provisioning-artifact');
  const refused = await deploy(archive, '2.0');
  expect(refused).toMatchObject({ how: 'failed', said: expect.stringContaining('something else is there') });
  await host.shell('cd /opt/app-shop; mv /etc/mark .2.0.provisioning-artifact; rm 2.0/.provisioning-artifact');

  // What cannot be fetched again is set aside, and comes back with its mark.
  const removed = await deploy(archive, '2.0', { ...artifact, state: 'absent' });
  expect(removed.how).toBe('ok');
  expect(await host.shell('ls -A /opt')).toBe('');
  expect(await removed.undo()).toEqual({ how: 'ok' });
  expect(await host.shell('ls -A /opt/app-shop')).toBe('.2.0.provisioning-artifact\n2.0');
});
