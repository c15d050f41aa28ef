import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Inventory, InventoryServer } from '../../../core/infra/inventory.js';
import { fakeLogins } from '../../fake-logins.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, inventoryNamed } from '../../fake-session.js';
import { BACKUP_PROGRAMS } from '../../shared/clusters/backup-services.js';
import { chooseBackup } from '../../shared/clusters/restore-cluster.js';

const server = (name: string, ...services: string[]) =>
  ({
    ...{ name, connection: { kind: 'this' }, spec: { group: name, role: 'all' } },
    services: Object.fromEntries(services.map((one) => [one, { taskserv: one }])),
  }) as unknown as InventoryServer;
const serversOf = (...servers: InventoryServer[]): Inventory => ({
  ...inventoryNamed('shop'),
  servers: Object.fromEntries(servers.map((one) => [one.name, one])),
});

const SNAPSHOTS = JSON.stringify([
  { id: 'aaaaaaaa11', time: '2026-11-28T02:00:00.123456789Z', paths: ['/srv'] },
  { id: 'bbbbbbbb22', time: '2026-11-29T02:00:00Z', paths: ['/srv', '/etc'] },
  { id: '$(reboot)', time: '2026-11-30T02:00:00Z', paths: [] },
  { id: 'cccccccc33', time: 'later', paths: [] },
]);

describe('backups of a cluster', () => {
  let folder: string;
  const path = process.env.PATH;
  /** Stands for bash on the hosts: it records each script of root, and answers as the file `answer` says. */
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-'));
    await writeFile(
      join(folder, 'bash'),
      `#!/bin/bash\nif [ "$1" = -c ]; then exec /bin/bash "$@"; fi\nprintf '%s\\n--\\n' "\${!#}" >>${folder}/scripts\n. ${folder}/answer\n`,
    );
    await writeFile(join(folder, 'sudo'), '#!/bin/bash\nshift\nexec "$@"\n');
    await Promise.all(['bash', 'sudo'].map((name) => chmod(join(folder, name), 0o755)));
    process.env.PATH = `${folder}:${path}`;
  });
  afterEach(async () => {
    process.env.PATH = path;
    await rm(folder, { recursive: true });
  });

  const run = async (line: string, answer: string, servers: InventoryServer[], options: FakeOptions = {}) => {
    await writeFile(join(folder, 'answer'), answer);
    const client = {
      'infras.list': async () => ['shop'],
      'infras.inventory': async () => serversOf(...servers),
      'servers.login': fakeLogins.login,
    };
    const ran = await runLine(`cluster ${line}`, { client, ...options });
    return { ...ran, scripts: (await readFile(join(folder, 'scripts'), 'utf8').catch(() => '')).split('\n--\n').filter(Boolean) };
  };

  test('are made by each service, and a failure has the last line of its log', async () => {
    const { code, out, scripts } = await run(
      'backup shop --json',
      'case "$*" in *borg*) echo "first" >&2; echo "no space" >&2; exit 1;; esac',
      [server('a', 'restic', 'redis'), server('b', 'borg'), server('c')],
    );
    expect([code, JSON.parse(out)]).toEqual([
      1,
      {
        infra: 'shop',
        backups: [
          { server: 'a', taskserv: 'restic', done: true },
          { server: 'b', taskserv: 'borg', done: false, why: 'no space' },
        ],
      },
    ]);
    expect(scripts.map((script) => script.split(' || ')[0]).sort()).toEqual([
      'systemctl start borg.service',
      'systemctl start restic.service',
    ]);
    expect((await run('backup shop --check', 'exit 1', [server('a', 'restic')])).code).toBe(0);
  });

  test('need a service, and a server that exists', async () => {
    const none = await run('backup shop', '', [server('a', 'redis')]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('add the taskserv restic or borg')]);
    const other = await run('restore shop --server z --check', '', [server('a', 'restic')]);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('find the server: z')]);
  });

  const answers = `case "$*" in *snapshots*) echo '${SNAPSHOTS}';; esac`;

  test('are restored beside the present files, the newest at or before a time', async () => {
    const { code, out, scripts } = await run('restore shop --to 2026-11-28T12:00 --yes --json', answers, [server('a', 'restic')]);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        infra: 'shop',
        restored: [
          {
            ...{ server: 'a', taskserv: 'restic', done: true, folder: '/var/restored/restic-2026-11-28T020000-aaaaaaaa' },
            backup: { id: 'aaaaaaaa11', time: '2026-11-28T02:00:00.123Z', paths: ['/srv'] },
          },
        ],
      },
    ]);
    expect(scripts.at(-1)?.split('\n')).toEqual([
      'install -d -m 0700 /var/restored',
      'mkdir -m 0700 /var/restored/restic-2026-11-28T020000-aaaaaaaa',
      'cd /var/restored/restic-2026-11-28T020000-aaaaaaaa',
      'set -a',
      '. /etc/restic/environment',
      'set +a',
      'restic restore aaaaaaaa11 --target .',
    ]);
  });

  test('are shown and asked about first', async () => {
    const no = await run('restore shop', answers, [server('a', 'restic')], { interactive: true, answers: [false] });
    expect([no.code, no.session.asked, no.scripts.length]).toEqual([5, ['Write the files of this backup?'], 1]);
    expect(no.out).toContain('2026-11-29T02:00:00.000Z');
    const early = await run('restore shop --to 2026-01-01 --yes', answers, [server('a', 'restic')]);
    expect([early.code, early.err]).toEqual([2, expect.stringContaining('no backup of it at or before 2026-01-01')]);
    expect((await run('restore shop', answers, [server('a', 'restic')])).err).toContain('add --yes');
  });

  test('that cannot be listed restore nothing', async () => {
    const { code, err, scripts } = await run('restore shop --yes', 'echo "wrong password" >&2; exit 1', [server('a', 'restic')]);
    expect([code, err, scripts.length]).toEqual([1, 'a: cannot list the backups of restic: wrong password\n', 1]);
  });
});

test('what a host lists is data: only names that a program gives are backups', () => {
  const [restic, borg] = BACKUP_PROGRAMS;
  if (!restic || !borg) throw new Error('a program is missing');
  expect(restic.read(SNAPSHOTS).map(({ id }) => id)).toEqual(['aaaaaaaa11', 'bbbbbbbb22']);
  for (const text of ['', 'null', '{}', '[null, 3, "x"]', 'not JSON'])
    expect([restic.read(text), borg.read(text)]).toEqual([[], []]);
  const archives = [
    { name: 'provisioning-a-2026-11-28T02:00:00', time: '2026-11-28T02:00:00.000000' },
    { name: 'mine', time: '2026-11-29T02:00:00.000000' },
    { name: 'provisioning-a; reboot', time: '2026-11-29T02:00:00.000000' },
  ];
  expect(chooseBackup(borg, JSON.stringify({ archives }))).toEqual({
    ...{ id: 'provisioning-a-2026-11-28T02:00:00', time: '2026-11-28T02:00:00.000Z', paths: [] },
  });
});
