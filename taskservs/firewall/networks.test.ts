import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { LIST_NETWORKS, readNetworks } from './networks.js';

test('reads the interfaces of a host, each with its addresses and the ranges behind it', () => {
  const stdout = `a eth0 198.51.100.9/24
a ens10 10.0.0.5/32
r eth0 198.51.100.0/24
r ens10 10.0.0.0/16
r ens10 10.0.0.1
`;
  expect(readNetworks({ stdout })).toEqual([
    { addresses: ['198.51.100.9'], ranges: ['198.51.100.0/24'] },
    { addresses: ['10.0.0.5'], ranges: ['10.0.0.0/16', '10.0.0.1'] },
  ]);
  expect(readNetworks({ stdout: '' })).toEqual([]);
});

test('asks the words of ip for it', () => {
  const ip = `ip() { case "$*" in
*addr*) printf '%s\\n' '1: lo    inet 127.0.0.1/8 scope host lo' '2: eth0    inet 172.18.0.2/16 brd 172.18.255.255 scope global eth0' ;;
*) printf '%s\\n' 'default via 172.18.0.1 dev eth0 ' '172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2 ' '10.0.0.0/16 via 10.0.0.1 dev ens10 ' ;;
esac; }
`;
  const stdout = execFileSync('bash', ['-c', `${ip}${LIST_NETWORKS}`], { encoding: 'utf8' });
  expect(readNetworks({ stdout })).toEqual([
    { addresses: ['172.18.0.2'], ranges: ['172.18.0.0/16'] },
    { addresses: [], ranges: ['10.0.0.0/16'] },
  ]);
});
