import { expect, test } from 'vitest';
import type { Reach } from '../../core/infra/reach.js';
import { reachText } from './reach.js';

const plain = (_: string, text: string) => text;
const one = (server: string, taskserv: string, port: number, more: Partial<Reach>): Reach => ({
  ...{ server, taskserv, endpoint: taskserv, port, protocol: 'tcp' },
  ...more,
});
const tunnel = (server: string, port: number) => ({ tunnel: `provisioning server tunnel ${server} ${port}` });
const REACH: Reach[] = [
  one('hub', 'haproxy', 80, { endpoint: 'http', address: '203.0.113.7:80', url: 'http://203.0.113.7/' }),
  one('db', 'postgres', 5432, { ...tunnel('db', 5432), secrets: ['generated/a', 'generated/b'] }),
  one('web-1', 'nginx', 80, { endpoint: 'http', ...tunnel('web-1', 80), url: 'http://127.0.0.1:8080/' }),
  one('web-2', 'nginx', 80, { endpoint: 'http', ...tunnel('web-2', 80), url: 'http://127.0.0.1:8080/' }),
  one('db', 'redis', 6379, { address: '203.0.113.8:6379', from: ['192.0.2.0/24'] }),
];

test('each is one line with the way to it, its password one more, what is alike once', () => {
  expect(reachText(REACH, 'shop', plain)).toBe(
    [
      'reach it:',
      '  http of haproxy on hub: http://203.0.113.7/',
      '  postgres on db: provisioning server tunnel db 5432',
      '    password: provisioning secret get generated/a --reveal, and 1 more: provisioning secret list',
      '  http of nginx on web-1, web-2: provisioning server tunnel web-1 80, then http://127.0.0.1:8080/',
      '  redis on db: 203.0.113.8:6379 from 192.0.2.0/24',
      '',
    ].join('\n'),
  );
});

test('is no longer than it may be, and says what shows the rest', () => {
  const lines = reachText(REACH, 'shop', plain, 3).split('\n');
  expect(lines.slice(3)).toEqual([
    '    password: provisioning secret get generated/a --reveal, and 1 more: provisioning secret list',
    '  and 2 more: provisioning inventory shop',
    '',
  ]);
});

test('says nothing where nothing is reached', () => expect(reachText([], 'shop', plain)).toBe(''));
