import { expect, test } from 'vitest';
import { reachableTable } from './reachable.js';

const plain = (_: string, text: string) => text;

test('names what is public, where it is let in from, and so many servers', () => {
  const from = ['0.0.0.0/0', '::/0'];
  const servers = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5'];
  const text = reachableTable(
    {
      public: [
        { servers: ['hub'], what: 'http of haproxy', protocol: 'tcp', ports: '80', from: ['192.0.2.0/24', '::/0'] },
        { servers, what: 'SSH', protocol: 'tcp', ports: '22', from },
      ],
      notes: [{ on: 'hub', text: 'metrics of prometheus are public, and ask for no password' }],
    },
    plain as never,
  );
  expect(text.replace(/ +/g, ' ').replace(/ \n/g, '\n')).toBe(
    'PUBLIC PORT FROM SERVERS\nhttp of haproxy tcp 80 192.0.2.0/24, ::/0 hub\nSSH tcp 22 anywhere a-1 and 4 others\nnote: hub: metrics of prometheus are public, and ask for no password\n',
  );
  expect(reachableTable({ public: [], notes: [] }, plain as never)).toBe('no public endpoints\n');
});
