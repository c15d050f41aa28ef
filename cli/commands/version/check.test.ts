import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { taskservs } from '../../../taskservs/registry.generated.js';
import { sha256Of } from '../../../test/support/mirror/mirror.js';
import { releasesPage, serveVendor, type Vendor } from '../../../test/support/vendor/vendor.js';
import { listServices } from '../../../upstream/listed-services.js';
import { runLine } from '../../fake-run.js';
import { fakeSession } from '../../fake-session.js';
import { command } from './check.js';

let vendor: Vendor;
let root: string;
beforeEach(async () => {
  [vendor, root] = [await serveVendor(), await mkdtemp(join(tmpdir(), 'version-check-'))];
  const mirrors = ['https://api.github.com', 'https://deb.debian.org', 'https://apt.releases.hashicorp.com'].map((from, index) => {
    const { to } = vendor.mirror(from, String(index));
    return `${from}=${to}`;
  });
  await writeFile(join(root, 'config.json'), JSON.stringify({ versions: { mirrors: mirrors.join(' ') } }));
});
afterEach(() => {
  vi.unstubAllEnvs();
  return Promise.all([vendor.close(), rm(root, { recursive: true })]);
});

const run = (line: string) => runLine(line, { root });
const serve = (repository: string, body: string) => vendor.answers.set(`/0/repos/${repository}/releases`, { body });

test('a table tells what is newer, and the exit code', async () => {
  serve('traefik/traefik', releasesPage('v3.4.0', 'v3.3.7', 'v3.3.5', 'v3.3.4', 'v4.0.0-rc1'));
  serve('temporalio/cli', releasesPage('v1.8.2', 'v1.8.1'));
  const { code, out, err } = await run('version check traefik temporal');
  expect(out.split('\n')).toEqual([
    'SERVICE   SUPPORTED     PATCH  MINOR  MAJOR  ASKED  LISTED BY',
    'temporal  1.8.2, 1.8.1                       now    temporalio/cli at api.github.com',
    'traefik   3.3.5, 3.3.4  3.3.7  3.4.0         now    traefik/traefik at api.github.com',
    '',
  ]);
  expect([code, err]).toEqual([1, '']);
  expect((await run('version check temporal')).code).toBe(0);
  expect(vendor.asked).toHaveLength(2);
  await run('version check temporal --refresh');
  expect(vendor.asked).toHaveLength(3);
});

test('who could not be asked is one line with the reason; the others answer', async () => {
  serve('temporalio/cli', releasesPage('v1.8.2', 'v1.8.1'));
  serve('buildkite/agent', '<html>Please log in</html>');
  const { code, out } = await run('version check');
  expect(code).toBe(3);
  expect(out).toMatch(/^temporal +1.8.2, 1.8.1 +now/m);
  expect(out).toMatch(/^buildkite-agent .* no +buildkite\/agent at api.github.com .*not a list of releases/m);
  expect(out).toMatch(/^nats .*there is nothing at \/1\/debian\/dists\/trixie\/Release/m);
  expect(out).toMatch(/^vault .*there is nothing at \/2\/dists/m);
  expect(out).toMatch(/^redis .*there is nothing at \/1\/debian\/dists\/trixie\/Release/m);
  const rows = out.trimEnd().split('\n').slice(1);
  expect(rows.map((row) => row.split(' ')[0])).toEqual((await listServices(taskservs, [])).map(({ name }) => name));
  // No source is queried twice, however many services use it.
  expect(new Set(vendor.asked.map(({ url }) => url)).size).toBe(vendor.asked.length);
});

/** Serves unsigned Debian package lists with these versions, as a client without keys accepts them. */
function serveDebian(release: string, packages: Readonly<Record<string, string>>): void {
  const list = Object.entries(packages)
    .map(([name, version]) => `Package: ${name}\nVersion: ${version}\n`)
    .join('\n');
  const at = `/1/debian/dists/${release}`;
  const entry = ` ${sha256Of(Buffer.from(list))} ${list.length} main/binary-amd64/Packages`;
  vendor.answers.set(`${at}/InRelease`, { body: `SHA256:\n${entry}\n` });
  vendor.answers.set(`${at}/main/binary-amd64/Packages`, { body: list });
}

test('of services of Debian it is told what the archive of each release holds; another series there is a fault', async () => {
  vi.stubEnv('PATH', '/nowhere');
  serveDebian('bookworm', { 'redis-server': '5:7.0.15-1~deb12u8', 'postgresql-15': '15.20-0+deb12u1' });
  serveDebian('trixie', { 'redis-server': '5:8.0.2-3+deb13u1', 'postgresql-17': '17.12-0+deb13u1' });
  const { code, out } = await run('version check redis postgres');
  expect(out.split('\n').slice(0, 3)).toEqual([
    'SERVICE   SUPPORTED  PATCH  MINOR  MAJOR  ASKED  LISTED BY',
    expect.stringMatching(
      /^postgres {2}17, 15 {3,}now {4}postgresql-17, postgresql-15 of Debian {2}debian-13 has 17.12, debian-12 has 15.20; /,
    ),
    expect.stringMatching(/^redis {5}8.0, 7.0 {3,}now {4}redis-server of Debian {2,}debian-13 has 8.0.2, debian-12 has 7.0.15; /),
  ]);
  expect(code).toBe(0);
  expect(vendor.asked.filter(({ url }) => url.endsWith('/Packages'))).toHaveLength(2);

  serveDebian('trixie', { 'redis-server': '5:8.2.1-1' });
  const other = await run('version check redis postgres --refresh');
  expect(other.code).toBe(1);
  expect(other.out).toContain('debian-13 has 8.2.1 (this build expects 8.0 there), debian-12 has 7.0.15');
  expect(other.out).toContain('debian-13 has no postgresql-17 (this build expects 17 there), debian-12 has 15.20');
  const { out: json } = await run('version check redis --json');
  expect(JSON.parse(json).services[0].archives).toEqual([
    { release: 'debian-13', package: 'redis-server', supported: '8.0', version: '8.2.1' },
    { release: 'debian-12', package: 'redis-server', supported: '7.0', version: '7.0.15' },
  ]);
});

test('--json prints one document', async () => {
  serve('traefik/traefik', releasesPage('v3.4.0', 'v3.3.5', 'v3.3.4'));
  const { code, out } = await run('version check traefik --json');
  const document = JSON.parse(out);
  expect(document.services).toMatchObject([{ service: 'traefik', newer: { patch: [], minor: ['3.4.0'], major: [] } }]);
  expect(code).toBe(1);
});

test('what a vendor sends is never obeyed by a terminal', async () => {
  serve('traefik/traefik', releasesPage('v3.3.9\u001b[2J', 'v3.3.5', 'v3.3.4', 'v3.3.8\u202e'));
  serve('temporalio/cli', '\u001b]0;x\u0007');
  const { out, err } = await run('version check traefik temporal');
  expect([hidden(out), hidden(err)]).toEqual([false, false]);
  expect(out).toMatch(/^traefik {3}3.3.5, 3.3.4 {2} +now/m);
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const hidden = (text: string): boolean => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(text);

test('a name that is no service, and a service whose versions nobody is known to list, are told', async () => {
  const [unknown, none] = [await run('version check trafik'), await run('version check files')];
  expect([unknown.code, none.code]).toEqual([2, 2]);
  expect(unknown.err).toContain('did you mean "traefik"?');
  expect(none.err).toContain('cannot list the available versions: files: its versions have no known source');
  expect(vendor.asked).toEqual([]);
});

test('how far it is is told on standard error alone: in place on a terminal, by lines with --verbose', async () => {
  serve('temporalio/cli', releasesPage('v1.8.2', 'v1.8.1'));
  const session = fakeSession({ root });
  session.verbose = true;
  await command.run(session, { args: ['temporal'], flags: {}, rest: [] });
  expect(session.complained()).toBe('1 of 1 services checked: temporal\n');
  const terminal = fakeSession({ root });
  terminal.err.live = true;
  await command.run(terminal, { args: ['temporal'], flags: {}, rest: [] });
  expect(terminal.complained()).toBe('\r\u001b[K0 of 1 services checked\r\u001b[K1 of 1 services checked\r\u001b[K');
  expect(terminal.said()).not.toContain('checked\r');
});

test('the version of the platform is told as before', async () => {
  expect((await run('version')).out).toMatch(/^provisioning \d/);
  expect((await run('version --json check traefik')).code).toBe(3);
  expect(await run('version nonsense')).toMatchObject({ code: 2 });
});

test('a mirror without https is no setting', async () => {
  await writeFile(join(root, 'config.json'), JSON.stringify({ versions: { mirrors: 'https://a.example=http://b.example' } }));
  expect(await run('version check traefik')).toMatchObject({ code: 2, err: expect.stringContaining('it is not FROM=TO') });
});
