import { expect, test } from 'vitest';
import type { RemovePlan } from '../../../members/remove-member.js';
import { checkList } from './check-list.js';

const plan = (more: Partial<RemovePlan> = {}): RemovePlan => ({
  member: 'bob',
  rotateKey: false,
  remaining: ['ann'],
  secrets: [],
  infras: [],
  ...more,
});
const runs = (of: RemovePlan) => checkList(of).map(({ run, what }) => run ?? what);

test('what was not asked for is left to do, with its command', () => {
  const certificates = { folder: '/srv/my certificates', ends: '2028-01-02T00:00:00.000Z', renew: false, remaining: ['ann'] };
  expect(runs(plan({ certificates }))).toEqual([
    "provisioning member remove bob --renew-certificates --certificates '/srv/my certificates'",
    'provisioning encryption rotate',
  ]);
});

test('those who stay get what was renewed', () => {
  const certificates = { folder: '/c', ends: '2028-01-02T00:00:00.000Z', renew: true, remaining: ['ann'] };
  expect(runs(plan({ certificates, rotateKey: true }))).toEqual([
    'Temporal and the workers: restart them; until then they trust the former authority',
    'provisioning member invite ann --out ann.age',
  ]);
});

test('each secret is named with its scope, by which it is rotated', () => {
  const secrets = [
    { workspace: 'default', infra: 'shop', name: 'a' },
    { workspace: 'default', name: 'b' },
    { name: 'generated/default/shop/redis.password' },
    { name: 'generated/default/shop/ca/internal' },
    { name: 'generated/default/shop/certificate/db' },
    { name: 'hetzner/prod/token' },
  ];
  const infras = [{ workspace: 'default', infra: 'shop' }];
  expect(runs(plan({ rotateKey: true, remaining: [], secrets, infras }))).toEqual([
    'provisioning secret rotate a --workspace default --infra shop',
    'provisioning secret rotate b --workspace default',
    'provisioning secret rotate generated/default/shop/redis.password --workspace default',
    'provisioning secret rotate generated/default/shop/ca/internal --at-once --workspace default',
    'provisioning secret rotate generated/default/shop/certificate/db --workspace default',
    'provisioning secret rotate hetzner/prod/token --shared',
    expect.stringContaining('SSH key of infra shop of default'),
  ]);
});
