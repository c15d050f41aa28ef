import { expect, test, vi } from 'vitest';
import { infraMask, secretPartsOf } from './infra-mask.js';

const PRIVATE = '-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----';
const PAIR = `-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n${PRIVATE}\n`;
const of = (kind: string) => `generated/default/shop/${kind}/web`;

test.each(['ca', 'certificate', 'ssh-key'])('of a generated %s only the private key is secret', (kind) => {
  expect(secretPartsOf(of(kind), PAIR)).toEqual([PRIVATE]);
  // A truncated key is masked too.
  expect(secretPartsOf(of(kind), `public\n${PRIVATE.slice(0, 40)}`)).toEqual([PRIVATE.slice(0, 40)]);
  expect(secretPartsOf(of(kind), 'no key')).toEqual(['no key']);
});

test('every other secret is secret as a whole, also with a key inside', () => {
  for (const name of ['db', 'tls', of('password')]) expect(secretPartsOf(name, PAIR)).toEqual([PAIR]);
});

test('a value that was given stays masked after it has left the store, and of a shared text only long lines are', async () => {
  const values = new Map<string, string>();
  const secrets = {
    list: async () => [],
    get: async () => undefined,
    listScoped: async () => [...values.keys()].map((name) => ({ name, infra: 'shop' })),
    within: () => ({ get: async (name: string) => values.get(name) }),
  };
  const scope = { workspace: 'default', infra: 'shop' };
  // A list of names is kept for a second.
  const later = () => vi.setSystemTime(Date.now() + 2_000);
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const look = (operation: string) => infraMask({ secrets, providers: {}, env: {} }, scope, operation);
    const first = await look('one');
    values
      .set('group-share/store/main/token/f00-1', 'token-that-is-long')
      .set('group-share/store/main/file/f00-1', 'main\nseen\nline-that-is-long-1');
    first.add('token-that-is-long');
    later();
    const second = await look('two');
    expect(second.hide('token-that-is-long main seen line-that-is-long-1')).toBe('*** main seen ***');
    values.clear();
    later();
    expect((await look('three')).hide('token-that-is-long line-that-is-long-1')).toBe('*** line-that-is-long-1');
  } finally {
    vi.useRealTimers();
  }
});
