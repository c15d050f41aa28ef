import { describe, expect, it } from 'vitest';
import { compareFirewalls, rulesOf } from './firewall.js';
import { imageQuery } from './images.js';
import { architectureOf, planNamed } from './plans.js';
import { rangeFor, subnetRanges } from './vpc/ranges.js';
import { parseZone } from './zones.js';

describe('an instance type by its name', () => {
  it.each([
    ['t3.small', 2, 2],
    ['t3.2xlarge', 8, 32],
    ['m6i.large', 2, 8],
    ['m7g.medium', 1, 4],
    ['c7i.4xlarge', 16, 32],
    ['r6g.12xlarge', 48, 384],
  ])('%s has %i cores and %i GiB', (name, cores, memoryGiB) => {
    expect(planNamed(name)).toMatchObject({ name, cores, memoryMiB: memoryGiB * 1024 });
  });

  it.each(['t3.huge', 't2.small', 'm6i', 'm6i.large.extra', 'm6i.medium', 'm5.medium', 'xlarge', 'm6i.0xlarge'])(
    '%s is none that is known',
    (name) => {
      expect(planNamed(name)).toBeUndefined();
    },
  );

  it('says what its images are built for', () => {
    expect(['t4g.small', 'm7gd.large', 'c6g.xlarge', 'm6i.large', 't3.small', 'g5.xlarge'].map(architectureOf)).toEqual([
      ...['arm64', 'arm64', 'arm64'],
      ...['x86_64', 'x86_64', 'x86_64'],
    ]);
    expect(imageQuery('debian-12', 't4g.small')).toMatchObject({ owner: '136693071363', name: 'debian-12-arm64-2*' });
    expect(imageQuery('ami-0123456789abcdef0', 't3.small')).toMatchObject({ id: 'ami-0123456789abcdef0' });
    expect(imageQuery('windows', 't3.small')).toBeUndefined();
  });
});

it('a zone is an abstract region, a region, or an availability zone', () => {
  expect(parseZone('eu-central')).toEqual({ region: 'eu-central-1' });
  expect(parseZone('us-east-1')).toEqual({ region: 'us-east-1' });
  expect(parseZone('us-east-1b')).toEqual({ region: 'us-east-1', availabilityZone: 'us-east-1b' });
  expect(parseZone('us-east-1-bos-1a')).toEqual({ region: 'us-east-1', availabilityZone: 'us-east-1-bos-1a' });
  expect(parseZone('fsn1')).toBeUndefined();
  expect(parseZone('no-such-zone-1')).toBeUndefined();
});

describe('the range of a network', () => {
  it('is divided in half for its first zone, and eighths for four more', () => {
    expect(subnetRanges('10.20.0.0/16')).toEqual([
      '10.20.0.0/17',
      '10.20.128.0/19',
      '10.20.160.0/19',
      '10.20.192.0/19',
      '10.20.224.0/19',
    ]);
    expect(subnetRanges('10.20.3.0/24')).toEqual([
      '10.20.3.0/25',
      '10.20.3.128/27',
      '10.20.3.160/27',
      '10.20.3.192/27',
      '10.20.3.224/27',
    ]);
    expect(subnetRanges('10.20.3.0/26')).toEqual(['10.20.3.0/26']);
  });

  it.each(['10.0.0.0/8', '10.20.0.1/24', '10.20.0.0/29', '10.20.0.300/24', 'fd00::/64', '10.20.0.0'])('cannot be %s', (range) => {
    expect(() => subnetRanges(range)).toThrow(/\/16 to \/28/);
  });

  it('is the same for the same network, and one that AWS takes', () => {
    expect(rangeFor('u', 'a')).toBe(rangeFor('u', 'a'));
    for (let index = 0; index < 300; index++) expect(subnetRanges(rangeFor(`${index}`, 'a'))).toHaveLength(5);
  });
});

describe('firewall rules', () => {
  const web = { protocol: 'tcp', ports: '80', from: ['0.0.0.0/0', '::/0'] } as const;

  it('let in the same however they are divided, and however AWS writes a range', () => {
    const parts = [
      { ...web, from: ['::/0'] },
      { ...web, ports: '80-80', from: ['0.0.0.0/0'] },
    ];
    expect(compareFirewalls([web], parts)).toBe(true);
    expect(compareFirewalls([{ ...web, from: ['10.1.2.3/8'] }], [{ ...web, from: ['10.0.0.0/8'] }])).toBe(true);
    expect(compareFirewalls([web], [])).toBe(false);
    expect(compareFirewalls(undefined, [])).toBe(false);
    expect(compareFirewalls(undefined, undefined)).toBe(true);
  });

  it('are read from the permissions of a group', () => {
    const IpPermissions = [
      { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '0.0.0.0/0' }], Ipv6Ranges: [{ CidrIpv6: '::/0' }] },
      { IpProtocol: 'icmp', FromPort: -1, ToPort: -1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
      { IpProtocol: 'icmpv6', FromPort: -1, ToPort: -1, Ipv6Ranges: [{ CidrIpv6: '::/0' }] },
    ];
    expect(rulesOf({ IpPermissions })).toEqual([web, { protocol: 'icmp', from: ['0.0.0.0/0', '::/0'] }]);
  });
});
