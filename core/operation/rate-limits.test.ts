import { expect, it } from 'vitest';
import { parseLimits } from './rate-limits.js';

const known = ['demo', 'local', 'hosts'];

it('reads limits by provider, by account and for hosts', () => {
  expect([...parseLimits('demo=5, demo/ci=0.5 hosts=50', known)]).toEqual([
    ['demo', { perSecond: 5 }],
    ['demo/ci', { perSecond: 0.5 }],
    ['hosts', { perSecond: 50 }],
  ]);
  expect([...parseLimits('', known)]).toEqual([]);
});

it('names all that is wrong at once', () => {
  const read = () => parseLimits('demo=0 aws=3 local=fast hosts=9', known);
  expect(read).toThrow('cannot read the limits: PROVISIONING_LIMITS: "demo=0", "aws=3", "local=fast" are not valid limits');
});
