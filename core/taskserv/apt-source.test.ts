import { expect, test } from 'vitest';
import { FoundFile } from '../host/facts.js';
import { type AptSource, ensureAptSource, ensureNoAptSource, isOfVersion } from './apt-source.js';

const source: AptSource = {
  ...{ name: 'echo', uri: 'https://apt.example.org/deb_a', suite: '{codename}', components: ['main'] },
  ...{ packages: ['echo', 'echo-common'], key: 'KEY\n', fingerprint: 'A'.repeat(40) },
};
const paths = {
  aptKey: '/etc/apt/keyrings/echo.asc',
  aptPin: '/etc/apt/preferences.d/echo',
  aptSource: '/etc/apt/sources.list.d/echo.sources',
};
const absent = {
  aptKey: new FoundFile(paths.aptKey, { exists: false }),
  aptPin: new FoundFile(paths.aptPin, { exists: false }),
  aptSource: new FoundFile(paths.aptSource, { exists: false }),
  codename: 'trixie',
};

const written = (steps: ReturnType<typeof ensureAptSource>) =>
  Object.fromEntries(steps.flatMap((step) => ('file' in step ? [[step.file.path, String(step.file.content)]] : [])));

test('a source is its key, a pin for its packages alone, and the suite of the host', () => {
  const files = written(ensureAptSource(source, absent, '1.4', undefined));
  expect(files[paths.aptKey]).toBe('KEY\n');
  expect(files[paths.aptPin]).toContain('Package: *\nPin: origin "apt.example.org"\nPin-Priority: -1\n');
  expect(files[paths.aptPin]).toContain(
    'Package: echo echo-common\nPin: version /^([0-9]+:)?1[.]4([.~+-]|$)/\nPin-Priority: 1001\n',
  );
  expect(files[paths.aptSource]).toContain(`Suites: trixie\nComponents: main\nSigned-By: ${paths.aptKey}\n`);
});

test('a mirror takes the place of the vendor, with its own key where it signs again', () => {
  const steps = ensureAptSource(source, absent, '1.4', [
    { from: 'https://apt.example.org/', to: 'http://mirror:8080/echo', key: 'OURS\n' },
  ]);
  const [check] = steps;
  expect(check).toMatchObject({ stdin: 'OURS\n', run: expect.not.stringContaining(source.fingerprint) });
  const files = written(steps);
  expect(files[paths.aptKey]).toBe('OURS\n');
  expect(files[paths.aptPin]).toContain('origin "mirror"');
  expect(files[paths.aptSource]).toContain('URIs: http://mirror:8080/echo/deb_a\n');
});

test('nothing is done twice, and removal takes the lists too, by the name that apt gives them', () => {
  const files = written(ensureAptSource(source, absent, '1.4', undefined));
  const there = (path: string) =>
    new FoundFile(path, { exists: true, content: files[path] ?? '', mode: '0644', owner: 'root:root' });
  const found = {
    ...{ aptKey: there(paths.aptKey), aptPin: there(paths.aptPin), aptSource: there(paths.aptSource), codename: 'trixie' },
  };
  expect(ensureAptSource(source, found, '1.4', undefined)).toEqual([]);
  expect(ensureAptSource(source, found, '1.5', undefined).map(({ title }) => title)).toEqual([
    'Check the repository of echo at https://apt.example.org/deb_a',
    'Write /etc/apt/preferences.d/echo',
    'Read the lists of echo',
  ]);
  expect(ensureNoAptSource(source, found).at(-1)).toMatchObject({
    run: 'rm -f -- /var/lib/apt/lists/apt.example.org_deb%5fa_dists_trixie_*',
  });
  expect(ensureNoAptSource(source, absent)).toEqual([]);
});

test.each([
  ['1.4.2-1', '1.4', true],
  ['5:1.4', '1.4', true],
  ['1.4~rc1', '1.4', true],
  ['1.40.0-1', '1.4', false],
  ['11.4', '1.4', false],
])('whether %s is a %s: %s', (found, version, is) => expect(isOfVersion(found, version)).toBe(is));
