import { describe, expect, it } from 'vitest';
import { reveal, type Text, text } from '../taskserv/secret.js';
import { absentValue, debian, FoundFile, fact, factKey, file, systemd, upstreamVersion } from './facts.js';

describe('FoundFile', () => {
  const data = { exists: true, content: 'a', mode: '0640', owner: 'redis:redis' };
  const wanted = { content: 'a', mode: '0640', owner: 'redis:redis' };

  it('compares content, mode and owner', () => {
    const found = new FoundFile('/x', data);
    expect(found.is(wanted)).toBe(true);
    for (const other of [{ content: 'b' }, { mode: '0644' }, { owner: 'root:root' }])
      expect(found.is({ ...wanted, ...other })).toBe(false);
  });

  it('takes defaults for mode and owner', () => {
    expect(new FoundFile('/x', { exists: true, content: 'a' }).is({ content: 'a' })).toBe(true);
    expect(new FoundFile('/x', { exists: true, content: 'a', mode: '0600' }).is({ content: 'a' })).toBe(false);
  });

  it('compares secrets by their values', () => {
    const content = text`password ${{ $secret: 'db' }}`;
    const found = (value: string) =>
      new FoundFile('/x', { exists: true, content: 'password right' }, (wanted: Text) => reveal(wanted, () => value));
    expect(found('right').is({ content })).toBe(true);
    expect(found('wrong').is({ content })).toBe(false);
  });

  it('is nothing that is wanted while it does not exist', () => {
    expect(new FoundFile('/x', { exists: false }).is({ content: '' })).toBe(false);
  });
});

it('says what a host that does not exist yet would answer', () => {
  expect(absentValue(fact('true', () => 1, 7))).toBe(7);
  expect(absentValue(debian('redis'))).toEqual({ name: 'redis' });
  expect(absentValue(systemd('redis'))).toEqual({ name: 'redis', active: false, enabled: false, stale: true });
  expect(absentValue(file('/x'))).toMatchObject({ path: '/x', exists: false });
});

it('gives the same key to facts that ask the same, and to no others', () => {
  const command = (run: string, env?: Record<string, string>) => factKey(fact(run, () => 0, 0, env));
  expect(command('id')).toBe(command('id', {}));
  const keys = [
    command('id'),
    command('id -u'),
    command('id', { A: '1' }),
    factKey(file('/a')),
    factKey(debian('a')),
    factKey(systemd('a')),
    factKey(systemd('a', ['/a'])),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it.each([
  ['5:7.0.15-1~deb12u1', '7.0.15'],
  ['2.42.0+ds-5+deb12u1', '2.42.0'],
  ['1.5.0-1+b6', '1.5.0'],
  ['15.14-0+deb12u1', '15.14'],
  ['1.0~rc1-2', '1.0'],
  [undefined, undefined],
])('upstreamVersion(%s) is %s', (debianVersion, version) => expect(upstreamVersion(debianVersion)).toBe(version));
