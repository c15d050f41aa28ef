import { cpSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { describe, expect, test } from 'vitest';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, remainsOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `product-${process.pid}`;
const EXAMPLE = join(import.meta.dirname, '../../examples/product');
const FILE = 'product.yaml';
const GUIDE = join(import.meta.dirname, '../../docs/start/product.md');
const DOMAIN = 'www.example.org';

/** The example with another name: a developer may have applied the example itself on this machine. */
const definition = readFileSync(join(EXAMPLE, FILE), 'utf8').replace(/^infra: product$/m, `infra: ${INFRA}`);

/** Returns the command that the guide runs on the database's server, found by words in it. */
function commandOfGuide(words: string): string {
  const commands = [...readFileSync(GUIDE, 'utf8').matchAll(/^\$ provisioning exec db -- '(.*)'$/gm)].map(([, one = '']) => one);
  const found = commands.filter((command) => command.includes(words));
  expect([words, found.length]).toEqual([words, 1]);
  return found[0] ?? '';
}

test('the definition has less than 120 lines', () => {
  expect(definition.trimEnd().split('\n').length).toBeLessThan(120);
  expect(definition).toContain(`infra: ${INFRA}`);
});

describe.skipIf(why)('a small product on five servers', () => {
  let workspace: TestWorkspace;
  const [web1, web2] = [shellOf(INFRA, 'web-1'), shellOf(INFRA, 'web-2')];
  const [db, ops] = [shellOf(INFRA, 'db'), shellOf(INFRA, 'ops')];

  const well = async (...args: string[]) => {
    const { code, stdout, stderr } = await workspace.run(...args);
    expect([args.join(' '), code, code === 0 ? '' : stdout + stderr]).toEqual([args.join(' '), 0, '']);
    return stdout;
  };
  const apply = (...more: string[]) => well('apply', FILE, ...more);
  const onDb = (command: string) => well('exec', 'db', '--infra', INFRA, '--', command);

  /** Runs a command on a web server with the settings of the product's programs. */
  const asProduct = (command: string) => web1(`set -a; . /etc/product/settings; set +a\n${command}`);
  const rows = () => asProduct("psql -XAtc 'SELECT name FROM orders'");

  /** Returns the page for a browser that trusts only the product's authority, after eight requests. */
  const pages = () =>
    ops(`for try in 1 2 3 4 5 6 7 8; do
  curl -fsS --cacert /root/authority.pem --connect-to ::lb: https://${DOMAIN}/ >"/root/page-$try"
done
for page in /root/page-*; do cmp /root/page-1 "$page" >&2; done; cat /root/page-1`);
  /** Returns the number of requests for the page that each web server has answered. */
  const answered = () =>
    Promise.all([web1, web2].map(async (web) => Number(await web("grep -c '\"GET / ' /var/log/nginx/product.access.log || true"))));
  /** Checks that eight requests get the same page, from both servers. */
  const page = async () => {
    const before = await answered();
    const text = await pages();
    const more = (await answered()).map((count, index) => count - (before[index] ?? 0));
    expect([more.every((count) => count > 0), (more[0] ?? 0) + (more[1] ?? 0)]).toEqual([true, 8]);
    return text;
  };

  withHostEngine(INFRA, async (engine) => {
    workspace = await workspaceOf(engine, {});
    cpSync(EXAMPLE, workspace.root, { recursive: true });
    await workspace.write(FILE, definition);
    await apply('--yes');
  });

  test('the site is served by TLS, from both web servers, with the certificate of its own authority', async () => {
    const name = `generated/default/${INFRA}/ca/product/certificate`;
    const authority = await well('secret', 'get', name, '--reveal');
    expect(authority).not.toContain('PRIVATE KEY');
    await ops(`cat >/root/authority.pem <<'END'\n${authority.trim()}\nEND`);
    const site = await readFile(join(EXAMPLE, 'site/index.html'), 'utf8');
    expect(await page()).toBe(site.trim());
    // Clients that do not trust this authority get no page.
    await expect(ops(`curl -fsS --connect-to ::lb: https://${DOMAIN}/`)).rejects.toThrow('certificate');
    expect(await ops(`curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: ${DOMAIN}' http://lb/`)).toMatch(
      new RegExp(`^30[128] https://${DOMAIN}/$`),
    );
  });

  test('its programs keep rows in the database and values in the cache, and others do not get in', async () => {
    await asProduct(`psql -Xqc 'CREATE TABLE orders (name text)' -c "INSERT INTO orders VALUES ('first')"`);
    expect(await rows()).toBe('first');
    await asProduct('redis-cli -h "$CACHE_HOST" -p "$CACHE_PORT" SET greeting hello');
    expect(await asProduct('redis-cli -h "$CACHE_HOST" -p "$CACHE_PORT" GET greeting')).toBe('hello');
    await expect(web1('PGPASSWORD=wrong psql -h db -U product product -c "SELECT 1"')).rejects.toThrow('authentication failed');
    expect(await web1('redis-cli -h db GET greeting')).toContain('NOAUTH');
    expect(await web1('stat -c "%a %U:%G" /etc/product/settings')).toBe('640 root:www-data');
  });

  test('all that there is to measure is measured', async () => {
    const up = `for try in $(seq 60); do
  curl -fsS -G http://ops:9090/api/v1/query --data-urlencode 'query=up' >/root/up
  if ! grep -q '"0"\\]' /root/up && [ "$(grep -o '"job":' /root/up | wc -l)" = 9 ]; then break; fi
  sleep 1
done
grep -o '"instance":"[^"]*","job":"[^"]*"\\|"[01]"\\]' /root/up`;
    const found = (await ops(up)).split('\n');
    expect(found.filter((line) => line === '"0"]')).toEqual([]);
    const jobs = found.flatMap((line) => /"instance":"(.*):\d+","job":"(.*)"/.exec(line)?.slice(1).join(' ') ?? []);
    const nodes = ['db', 'lb', 'ops', 'web-1', 'web-2'].map((name) => `${name} node-exporter`);
    const others = ['db postgres-exporter', 'db redis-exporter', 'lb haproxy', 'ops prometheus'];
    expect(jobs.sort()).toEqual([...nodes, ...others].sort());
  });

  test('a change of the site is previewed as text, is served by both, and touches nothing else', async () => {
    const changed = join(workspace.root, 'site/index.html');
    await writeFile(changed, (await readFile(changed, 'utf8')).replace('Open all week.', 'Closed on Sundays.'));
    const since = () => db('systemctl show -p ActiveEnterTimestampMonotonic postgresql@15-main redis-server');
    const before = await since();

    const preview = await apply('--check', '--diff');
    expect(preview).toMatch(/^\s+-\s+<p>Open all week\.<\/p>$/m);
    expect(preview).toMatch(/^\s+\+\s+<p>Closed on Sundays\.<\/p>$/m);
    const places = [...preview.matchAll(/^(\S+)\/(\S+)$/gm)].map(([place]) => place);
    expect([...new Set(places)].sort()).toEqual(['web-1/files', 'web-2/files']);
    expect(preview.match(/ Write /g)).toHaveLength(2);

    await apply('--yes');
    expect(await page()).toContain('Closed on Sundays.');
    expect(await since()).toBe(before);
  });

  test('what is lost returns from the backup on another server, by the commands of the guide', async () => {
    await onDb(commandOfGuide('systemctl start restic'));
    expect(await onDb(commandOfGuide('restic snapshots'))).toContain('1 snapshots');
    // The snapshot is encrypted on the other server.
    expect(await ops('ls /srv/store/db/snapshots | wc -l')).toBe('1');
    await expect(ops('grep -rl first /srv/store/db')).rejects.toThrow();

    await db(`rm /var/backups/product.dump; runuser -u postgres -- psql -Xqd product -c 'DROP TABLE orders'`);
    await expect(rows()).rejects.toThrow('does not exist');
    await onDb(commandOfGuide('restic restore'));
    expect(await rows()).toBe('first');
  });

  // Takes a minute and a half more.
  test.runIf(process.env.LONG)('so does a server that is gone: it is made again, and its data restored', async () => {
    for (const id of await containersOf(INFRA, 'db')) await new Docker().getContainer(id).remove({ force: true, v: true });
    await apply('--yes');
    await expect(rows()).rejects.toThrow('does not exist');
    await onDb(commandOfGuide('restic restore'));
    expect(await rows()).toBe('first');
  });

  test('the account that keeps backups lets in no commands', async () => {
    expect(await db("echo 'ls -1 /srv/store' | sftp -q -b - store@ops")).toContain('/srv/store/db');
    await db('ssh store@ops touch /srv/store/made </dev/null || true');
    expect(await ops('ls /srv/store')).toBe('db');
  });

  test('`cluster backup` makes a backup, and `cluster restore` writes its files beside the present ones', async () => {
    const chosen = async (...args: string[]) => JSON.parse(await well('cluster', 'restore', INFRA, '--json', ...args)).restored;
    const [first] = await chosen('--check');
    expect(JSON.parse(await well('cluster', 'backup', INFRA, '--json')).backups).toEqual([
      { server: 'db', taskserv: 'restic', done: true },
    ]);
    const [second] = await chosen('--yes');
    expect([second.done, second.backup.time > first.backup.time]).toEqual([true, true]);
    const dump = `${second.folder}/var/backups/product.dump`;
    expect(await db(`stat -c '%a %U' ${second.folder}; pg_restore --list <${dump} | grep -c 'TABLE DATA public orders'`)).toBe(
      '700 root\n1',
    );
    expect(await rows()).toBe('first');
    // Of one day, only the last backup is kept.
    const early = await workspace.run('cluster', 'restore', INFRA, '--to', first.backup.time, '--yes');
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('restic has no backup of it at or before')]);
  });

  test('a backup whose dump fails is told, and not taken for one', async () => {
    const snapshots = () => ops('ls /srv/store/db/snapshots');
    const before = await snapshots();
    await db('systemctl stop postgresql@15-main');
    await expect(db('systemctl start restic.service')).rejects.toThrow();
    expect(await snapshots()).toBe(before);
    expect((await workspace.run('taskserv', 'status', 'restic', '--infra', INFRA)).stdout).toContain(
      'the last backup did not fail',
    );
    await db('systemctl start postgresql@15-main; systemctl start restic.service');
    expect(await snapshots()).not.toBe(before);
  });

  test('then nothing is left to do, and it goes as it came', async () => {
    expect(await apply('--check')).toContain('nothing to do');
    await well('delete', INFRA, '--yes');
    expect(await remainsOf(INFRA)).toEqual([]);
  });
});
