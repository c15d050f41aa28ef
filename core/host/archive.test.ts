import { expect, test } from 'vitest';
import { ensurePackage, ensureService } from '../taskserv/plans.js';
import { archiveFact, type PackageChange, upgradeSteps } from './archive.js';
import { debian, type Fact, type Facts, type FoundFacts, file, systemd } from './facts.js';

/** As apt of Debian 12 prints it. */
const policy = (installed: string, candidate: string) => `redis-server:
  Installed: ${installed}
  Candidate: ${candidate}
  Version table:
     5:7.0.15-1~deb12u8 500
        500 http://deb.debian.org/debian-security bookworm-security/main amd64 Packages
 *** 5:7.0.15-1~deb12u1 100
        100 /var/lib/dpkg/status
`;
const asked = (facts: Facts, stdout: string): PackageChange | undefined => {
  const question = archiveFact(facts) as Extract<Fact<PackageChange | undefined>, { kind: 'command' }>;
  return question.parse({ stdout, exit: 0 });
};
const facts = { package: debian('redis-server'), tools: debian('redis-tools') };

test('what the archive has in place of the package is told with both versions', () => {
  expect(asked(facts, policy('5:7.0.15-1~deb12u1', '5:7.0.15-1~deb12u8'))).toEqual({
    package: 'redis-server',
    from: '5:7.0.15-1~deb12u1',
    to: '5:7.0.15-1~deb12u8',
  });
});

test.each([
  ['what is installed is the newest', policy('1-1', '1-1')],
  ['it is not installed', policy('(none)', '1-1')],
  ['the archive has none', policy('1-1', '(none)')],
  ['apt does not know it', ''],
])('nothing is told where %s', (_, stdout) => expect(asked(facts, stdout)).toBeUndefined());

test('a taskserv without a package of its own is not asked about', () => {
  expect(archiveFact({ conf: file('/etc/own') })).toBeUndefined();
  expect(archiveFact({ first: debian('a'), second: debian('b') })).toBeUndefined();
  expect(archiveFact({ cluster: debian('postgresql-15'), conf: file('/etc/own') })).toBeDefined();
});

test('an upgrade names the version, restarts the service, and is done once', () => {
  const asked = { package: debian('redis-server'), unit: systemd('redis-server') };
  const plan = (found: FoundFacts<typeof asked>) => {
    const before = ensurePackage(found.package);
    return [...before, ...ensureService(found.unit, { state: 'running', enabled: true }, before)];
  };
  const found = (version?: string) => ({
    package: { name: 'redis-server', version },
    unit: { name: 'redis-server', active: true, enabled: true, stale: false },
  });
  const change = { package: 'redis-server', from: '7-1', to: '7-2' };
  expect(upgradeSteps(plan, found('7-1'), asked, change)).toEqual([
    { title: 'Upgrade the package redis-server to 7-2', package: { name: 'redis-server', state: 'present', version: '7-2' } },
    expect.objectContaining({ title: 'Restart redis-server' }),
  ]);
  for (const version of ['7-2', '7-3', '6-9']) expect(upgradeSteps(plan, found(version), asked, change)).toEqual([]);
});
