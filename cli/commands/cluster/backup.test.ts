import { spawnSync } from 'node:child_process';
import { access, chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

  const member = (name: string) =>
    ({ ...server(name), services: { patroni: { taskserv: 'patroni', config: { cluster: 'shop', backups: {} } } } }) as never;
  const trio = ['a', 'b', 'c'].map(member);
  const backups = [
    { id: '20261128-020000F', time: '2026-11-28T02:00:00+00:00' },
    { id: '20261128-020000F_20261129-020000I', time: '2026-11-29T02:00:00+00:00' },
    { id: '$(reboot)', time: '2026-11-29T03:00:00+00:00' },
  ];
  const patroniSays = (restore: string) =>
    `case "$*" in *' list') echo '${JSON.stringify({ leads: true, backups })}';; *' restore '*) ${restore};; esac`;
  const AT = '2026-11-28T12:00:00.000Z';

  test('of patroni are restored in place: followers stop, the leader restores, followers start', async () => {
    const line = 'restore shop --in-place --to 2026-11-28T12:00';
    const checked = await run(`${line} --check --json`, patroniSays('exit 9'), trio);
    expect([checked.code, JSON.parse(checked.out), checked.scripts.length]).toEqual([
      0,
      {
        ...{ infra: 'shop', cluster: 'shop', leader: 'a', followers: ['b', 'c'], time: AT },
        backup: { id: '20261128-020000F', time: '2026-11-28T02:00:00.000Z', paths: [] },
      },
      3,
    ]);
    const { code, out, scripts } = await run(`${line} --yes --json`, patroniSays(`echo '{"former": "/srv/former"}'`), trio);
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ done: true, former: '/srv/former', problems: [] })]);
    const verbs = ['stop', 'stop', `restore ${AT}`, 'start', 'start'];
    expect(scripts.slice(-5)).toEqual(verbs.map((verb) => `/usr/local/sbin/provisioning-pgbackrest ${verb}`));
  });

  test('of patroni: the followers start again if the restore fails', async () => {
    const ran = await run(
      'restore shop --in-place --yes --json',
      patroniSays('echo "no space; the former data serves again" >&2; exit 1'),
      trio,
    );
    expect([ran.code, JSON.parse(ran.out).problems]).toEqual([1, [{ server: 'a', why: 'no space; the former data serves again' }]]);
    expect(ran.scripts.slice(-3).map((script) => script.split(' ').slice(1))).toEqual([
      ['restore', 'newest'],
      ['start'],
      ['start'],
    ]);
  });

  test.each([
    ['--to 2026-11-27', trio, 'its first backup ended at 2026-11-28T02:00:00.000Z'],
    ['--to 2999-01-01', trio, 'is in the future'],
    ['', [server('a', 'restic')], 'no server has patroni with `backups`'],
  ])('in place %s: refused, and nothing is stopped', async (more, servers, reason) => {
    const ran = await run(`restore shop --in-place --yes ${more}`.trim(), patroniSays('exit 9'), servers);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(reason)]);
    expect(ran.scripts.filter((script) => !script.endsWith(' list'))).toEqual([]);
  });

  test('of patroni are written beside on only one member, with the moment', async () => {
    const { code, out, scripts } = await run('restore shop --to 2026-11-28T12:00 --yes --json', patroniSays('exit 9'), trio);
    const [{ folder: made, ...one }, ...more] = JSON.parse(out).restored;
    expect([code, one, more]).toEqual([0, expect.objectContaining({ server: 'a', taskserv: 'pgbackrest', moment: AT }), []]);
    expect(scripts.at(-1)).toBe(`/usr/local/sbin/provisioning-pgbackrest beside ${AT} ${made}`);
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
            ...{ server: 'a', taskserv: 'restic', done: true, folder: expect.stringMatching(/^\/var\/restored\/restic-/) },
            backup: { id: 'aaaaaaaa11', time: '2026-11-28T02:00:00.123Z', paths: ['/srv'] },
          },
        ],
      },
    ]);
    const { folder: made } = JSON.parse(out).restored[0];
    expect(made).toMatch(/^\/var\/restored\/restic-2026-11-28T020000-aaaaaaaa-[0-9a-f]{8}$/);
    expect(scripts.at(-1)?.split('\n')).toEqual([
      'install -d -m 0700 /var/restored',
      `mkdir -m 0700 ${made}`,
      'whole=',
      `trap '[ -n "$whole" ] || { cd /; rm -rf -- ${made}; }' EXIT`,
      `cd ${made}`,
      'set -a',
      '. /etc/restic/environment',
      'set +a',
      'restic restore aaaaaaaa11 --target .',
      'whole=1',
    ]);
    // With a time, all backups are listed.
    expect(scripts[0]).not.toContain('--latest');
  });

  test('leave no folder if the restore fails, and can be restored again', async () => {
    const restored = join(folder, 'restored');
    const [environment, restic] = [join(folder, 'environment'), join(folder, 'restic')];
    await writeFile(environment, 'A=b\n');
    const scripts = [];
    for (const [text, left] of [
      ['touch part; exit 1', 0],
      ['touch part; kill $PPID; sleep 0.2', 0],
      ['touch whole', 1],
      ['touch whole', 2],
    ] as const) {
      const script = (await run('restore shop --yes', answers, [server('a', 'restic')])).scripts.at(-1) ?? '';
      scripts.push(script);
      await writeFile(restic, `#!/bin/bash\n${text}\n`);
      await chmod(restic, 0o755);
      const here = script.replaceAll('/var/restored', restored).replaceAll('/etc/restic/environment', environment);
      const { status } = spawnSync('/bin/bash', ['-euo', 'pipefail', '-c', here]);
      expect([text, status === 0, (await readdir(restored)).length]).toEqual([text, left > 0, left]);
    }
    expect(new Set(scripts).size).toBe(4);
    expect(await readdir(join(restored, (await readdir(restored))[0] ?? ''))).toEqual(['whole']);
  });

  test('are shown and asked about first', async () => {
    const no = await run('restore shop', answers, [server('a', 'restic')], { interactive: true, answers: [false] });
    expect([no.code, no.session.asked, no.scripts.length]).toEqual([5, ['Write the files of this backup?'], 1]);
    expect(no.out).toContain('2026-11-29T02:00:00.000Z');
    const early = await run('restore shop --to 2026-01-01 --yes', answers, [server('a', 'restic')]);
    expect([early.code, early.err]).toEqual([2, expect.stringContaining('no backup of it at or before 2026-01-01')]);
    expect(early.err).toContain('or choose other servers with --server');
    const none = await run('restore shop --yes', 'echo "[]"', [server('a', 'restic')]);
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining('make one: provisioning cluster backup shop --server a; or choose other servers with --server'),
    ]);
    expect((await run('restore shop', answers, [server('a', 'restic')])).err).toContain('add --yes');
  });

  test('end with the command that loads a dump, or shows the files', async () => {
    const { out } = await run('restore shop --yes', answers, [server('a', 'restic', 'postgres'), server('b', 'restic')]);
    expect(out).toMatch(/provisioning exec a --infra shop -- 'cd .* <\/var\/restored\/restic-\S+\/DATABASE\.dump'\n/);
    expect(out).toMatch(/provisioning exec b --infra shop -- find \/var\/restored\/restic-\S+\n$/);
    expect(out).not.toContain('docs/');
  });

  test('that cannot be listed restore nothing', async () => {
    const { code, err, scripts } = await run('restore shop --yes', 'echo "wrong password" >&2; exit 1', [server('a', 'restic')]);
    expect([code, err, scripts.length]).toEqual([1, 'a: cannot list the backups of restic: wrong password\n', 1]);
    for (const [answer, why] of [
      ['echo "not JSON"', 'the list of restic cannot be read'],
      ['printf "[ "; head -c 9000000 /dev/zero | tr "\\0" " "; printf "]"', 'the list is too long'],
    ] as const) {
      const cut = await run('restore shop --yes --json', answer, [server('a', 'restic')]);
      expect([cut.code, JSON.parse(cut.out).restored]).toEqual([1, []]);
      expect(JSON.parse(cut.out).problems).toEqual([{ server: 'a', taskserv: 'restic', why: expect.stringContaining(why) }]);
    }
  });

  test('are found in a list of thousands', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...{ id: `aaaaaaaa${String(index).padStart(4, '0')}`, paths: ['/srv/'.padEnd(400, 'x')] },
      time: new Date(Date.UTC(2020, 0, index + 1)).toISOString(),
    }));
    await writeFile(join(folder, 'many'), JSON.stringify(many));
    const { code, out } = await run('restore shop --check --json --to 2020-02-01T12:00', `cat ${folder}/many`, [
      server('a', 'restic'),
    ]);
    expect([code, JSON.parse(out).restored[0].backup.id]).toEqual([0, 'aaaaaaaa0031']);
  });

  test.each(['backup shop', 'restore shop --yes'])('%s ends with 130 at Ctrl-C', async (line) => {
    const began = join(folder, 'began');
    const running = run(line, `touch ${began}; exec sleep 60`, [server('a', 'restic')]);
    await vi.waitFor(() => access(began), { timeout: 20_000 });
    process.emit('SIGINT');
    expect((await running).code).toBe(130);
  });
});

test('what a host lists is data: only names that a program gives are backups', () => {
  const [restic, borg] = BACKUP_PROGRAMS;
  if (!restic || !borg) throw new Error('a program is missing');
  expect(restic.read(SNAPSHOTS)?.map(({ id }) => id)).toEqual(['aaaaaaaa11', 'bbbbbbbb22']);
  for (const text of ['', '{}', '[null, 3, "x"]', '{"archives": [{"name": "mine"}]}', 'not JSON', SNAPSHOTS.slice(0, -9)])
    expect([text, restic.read(text), borg.read(text)]).toEqual([text, undefined, undefined]);
  expect([restic.read('[]'), restic.read('null'), borg.read('{"archives": []}')]).toEqual([[], [], []]);
  const archives = [
    { name: 'provisioning-a-2026-11-28T02:00:00', time: '2026-11-28T02:00:00.000000' },
    { name: 'mine', time: '2026-11-29T02:00:00.000000' },
    { name: 'provisioning-a; reboot', time: '2026-11-29T02:00:00.000000' },
    { name: 'provisioning-other', time: '2026-11-29T02:00:00.000000' },
  ];
  expect(chooseBackup(borg.read(JSON.stringify({ archives })) ?? [])).toEqual({
    ...{ id: 'provisioning-a-2026-11-28T02:00:00', time: '2026-11-28T02:00:00.000Z', paths: [] },
  });
});

test('borg lists only the archives of the host itself, and with no time only the newest backup', () => {
  const [restic, borg] = BACKUP_PROGRAMS;
  const [, glob = ''] = /--glob-archives '([^']*)'/.exec(borg?.list(false) ?? '') ?? [];
  expect(glob).toContain('{hostname}');
  const isOf = (host: string, name: string) => new RegExp(`^${glob.replace('{hostname}', host).replaceAll('*', '.*')}$`).test(name);
  expect(isOf('db', 'provisioning-db-2026-11-28T02:00:00')).toBe(true);
  expect(isOf('db-2', 'provisioning-db-2-2026-11-28T02:00:00')).toBe(true);
  for (const other of ['db-2', 'web', 'db-2026', 'db-2026-11-28'])
    expect([other, isOf('db', `provisioning-${other}-2026-11-28T02:00:00`)]).toEqual([other, false]);
  expect(restic?.list(true)).toContain(' --latest 1');
  expect(borg?.list(true)).toContain(' --last 1 ');
  expect(borg?.list(false)).not.toContain('--last');
});
