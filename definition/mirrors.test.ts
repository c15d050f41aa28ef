import { expect, test } from 'vitest';
import { definitionOf, type Written } from '../test/support/definition.js';

const file = (mirrors: Written['mirrors']): Written => ({
  infra: 'shop',
  provider: 'demo',
  servers: [{ name: 'web' }],
  taskservs: [{ name: 'traefik' }, { name: 'redis' }],
  mirrors,
});

test('mirrors are for what fetches from vendors, and for nothing else', () => {
  const mirrors = [{ from: 'https://github.com/', to: 'http://mirror.internal/github' }];
  const [server] = definitionOf(file(mirrors)).servers;
  expect(server?.taskservs.map(({ name, mirrors }) => [name, mirrors]).sort()).toEqual([
    ['redis', undefined],
    ['traefik', mirrors],
  ]);
});

test.each([
  ['a vendor by ftp', { from: 'ftp://github.com/', to: 'http://mirror' }, 'mirrors[0].from: '],
  ['a password', { from: 'https://github.com/', to: 'https://me:secret@mirror/' }, 'mirrors[0].to: '],
  ['what a file could not hold', { from: 'https://github.com/', to: 'https://mirror/\nTrusted: yes' }, 'mirrors[0].to: '],
  ['what is no key', { from: 'https://github.com/', to: 'https://mirror/', key: 'hello' }, 'mirrors[0].key: '],
])('refuses %s in one line', (_, mirror, begins) => {
  const problems = (() => {
    try {
      definitionOf(file([mirror]));
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  })();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(begins);
});

test('what packages come from is set before anything else, on all servers', () => {
  const servers = [
    { name: 'db', taskservs: ['postgres'] },
    { name: 'web', taskservs: ['apt'] },
  ];
  const all = definitionOf({ infra: 'shop', provider: 'demo', servers, taskservs: ['nginx'] }).servers.flatMap(
    (one) => one.taskservs,
  );
  for (const { name, after } of all) expect([name, after.includes('apt')]).toEqual([name, name !== 'apt']);
  expect(definitionOf(file([])).servers[0]?.taskservs.flatMap(({ after }) => after)).not.toContain('apt');
});

test('refuses two mirrors of the same', () =>
  expect(() =>
    definitionOf(
      file([
        { from: 'https://github.com/', to: 'http://a' },
        { from: 'https://github.com', to: 'http://b' },
      ]),
    ),
  ).toThrow('another mirror has the same URLs'));

test('artifacts come from the worker where the definition, or a server, says so', () => {
  const servers = [{ name: 'web' }, { name: 'out', artifacts: 'on-host' as const }];
  const by = (written: Partial<Written>) =>
    definitionOf({ ...file([]), servers, ...written })
      .servers.flatMap(({ name, taskservs }) => taskservs.map((one) => [`${name}/${one.name}`, one.artifacts ?? 'on-host']))
      .sort();
  const all = ['out/redis', 'out/traefik', 'web/redis', 'web/traefik'];
  expect(by({})).toEqual(all.map((one) => [one, 'on-host']));
  expect(by({ artifacts: 'from-worker' })).toEqual(all.map((one) => [one, one.startsWith('web') ? 'from-worker' : 'on-host']));
  expect(() => by({ artifacts: 'from-home' as never })).toThrow('artifacts: expected');
});
