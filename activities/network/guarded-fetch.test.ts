import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { createGuardedFetch, type GuardOptions, type Lookup } from './guarded-fetch.js';
import { classifyAddress, readAllowedPlaces } from './public-address.js';

let server: Server;
let port: number;
let reached = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    reached++;
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    if (to) response.writeHead(302, { location: to }).end();
    else response.end('inside');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  reached = 0;
});

const at = (...addresses: string[]): Lookup => {
  let count = 0;
  return async () => {
    const address = addresses[Math.min(count++, addresses.length - 1)] as string;
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };
};
const get = (url: string, { allowed = '', ...more }: { allowed?: string } & Partial<Omit<GuardOptions, 'allowed'>> = {}) =>
  createGuardedFetch({ onlyPublic: true, allowed: readAllowedPlaces(allowed), ...more })(url, {
    headers: {},
    signal: AbortSignal.timeout(10_000),
  });
const codeOf = (asked: Promise<{ status: number }>) =>
  asked.then(
    ({ status }) => status,
    (error) => error.details?.code ?? error,
  );

/** Each form of four bytes that some reader of URLs takes for an address of IPv4. */
function formsOf(bytes: number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (n: number) => n.toString(16).padStart(2, '0');
  const groups = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
  return [
    `${a}.${b}.${c}.${d}`,
    `${whole}`,
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    [a, b, c, d].map((n) => `0${n.toString(8)}`).join('.'),
    [a, b, c, d].map((n) => `0x${n.toString(16)}`).join('.'),
    `${a}.${b}.${(c << 8) | d}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${groups}]`,
    `[64:ff9b::${groups}]`,
    `[::${groups}]`,
    `[2002:${groups}::1]`,
    `[::ffff:0:${groups}]`,
    `[64:ff9b:1::${groups}]`,
  ];
}

const byte = fc.integer({ min: 0, max: 255 });
/** Networks of RFC 6890 that are not public, as their first bytes. */
const PRIVATE = [[10], [127], [0], [192, 168], [172, 16], [172, 31], [100, 64], [100, 127], [198, 18], [192, 0, 2], [224], [240]];
const privateBytes = fc
  .tuple(fc.constantFrom(...PRIVATE), byte, byte, byte)
  .map(([begin, ...rest]) => [...begin, ...rest].slice(0, 4));

describe('a caller’s address', () => {
  test('in no form that means a private network is connected to', async () => {
    await fc.assert(
      fc.asyncProperty(privateBytes, fc.nat(), async (bytes, choice) => {
        const forms = formsOf(bytes);
        const form = forms[choice % forms.length] as string;
        const asked = await codeOf(get(`http://${form}:${port}/`, { lookup: at('127.0.0.1') }));
        expect([form, asked]).toEqual([form, 'address-refused']);
      }),
      { numRuns: 300 },
    );
    expect(reached).toBe(0);
  });

  test('is not public in any form of IPv6 with a private address of IPv4, nor one that is local', () => {
    fc.assert(
      fc.property(privateBytes, (bytes) => {
        for (const form of formsOf(bytes).filter((one) => one.startsWith('[')))
          expect([form, classifyAddress(form.slice(1, -1))]).toEqual([form, 'private']);
      }),
    );
    for (const local of ['::', '::1', 'fc00::1', 'fdff::1', 'ff02::1', 'fec0::1', '2001:db8::1', '100::1', '4000::1', 'x', ''])
      expect([local, classifyAddress(local)]).toEqual([local, 'private']);
  });

  test('is public if it is, also in NAT64', () => {
    for (const open of ['1.1.1.1', '::ffff:1.1.1.1', '64:ff9b::101:101', '2606:4700::1111'])
      expect([open, classifyAddress(open)]).toEqual([open, 'public']);
  });

  test('leads to no credentials of the machine, whatever is allowed', async () => {
    for (const address of [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      'fd00:ec2::254',
      'fe80::1',
      'fe80::1%eth0',
    ])
      expect([address, classifyAddress(address)]).toEqual([address, 'credentials']);
    const allowed = '169.254.0.0/16,metadata';
    for (const onlyPublic of [true, false]) {
      expect(await codeOf(get('http://169.254.169.254/', { onlyPublic, allowed }))).toBe('address-refused');
      const lookup = at('169.254.169.254');
      expect(await codeOf(get('http://metadata/', { onlyPublic, allowed, lookup }))).toBe('address-refused');
    }
  });

  test('as a name is checked by all of its addresses', async () => {
    const lookup: Lookup = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await codeOf(get(`http://two.example:${port}/`, { lookup }))).toBe('address-refused');
    expect(reached).toBe(0);
  });

  test('is resolved once: a name that becomes private after the check leads nowhere', async () => {
    let asked = 0;
    const lookup: Lookup = async () => {
      asked++;
      // TEST-NET-3 would be refused; this is public, and no packet gets an answer in time.
      return [{ address: asked === 1 ? '192.88.98.1' : '127.0.0.1', family: 4 }];
    };
    const fetched = createGuardedFetch({ onlyPublic: true, allowed: readAllowedPlaces(''), lookup });
    const once = (ms: number) =>
      codeOf(fetched(`http://moving.example:${port}/`, { headers: {}, signal: AbortSignal.timeout(ms) }));
    expect(await once(300)).not.toBe(200);
    expect(asked).toBe(1);
    // A second connection is a second check.
    expect(await once(10_000)).toBe('address-refused');
    expect([asked, reached]).toEqual([2, 0]);
  });
});

describe('an administrator', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1'],
    ['127.0.0.0/8', 'http://127.0.0.1'],
    ['mirror.example', 'http://mirror.example'],
    ['*.corp.example, 10.0.0.0/8', 'http://mirror.corp.example'],
    ['127.0.0.0/8', 'http://mirror.example'],
  ])('allows %s, so %s is fetched', async (allowed, url) => {
    expect(await codeOf(get(`${url}:${port}/`, { allowed, lookup: at('127.0.0.1') }))).toBe(200);
  });

  test.each(['mirror.example', '*.mirror.example', '10.0.0.0/8', '::1'])('allows %s, and nothing else', async (allowed) => {
    for (const host of ['127.0.0.1', 'other.example', 'mirror.example.evil.example', 'xmirror.example'])
      expect(await codeOf(get(`http://${host}:${port}/`, { allowed, lookup: at('127.0.0.1') }))).toBe('address-refused');
  });

  test.each(['10.0.0.0/33', 'http://x', '127.1', 'a b', '*', '*.', '-x'])(
    'refuses %s, which is no host, address or network',
    (list) => {
      expect(() => readAllowedPlaces(list)).toThrow('is no host, address or network');
    },
  );
});

test('without a guard private addresses are fetched, and a redirect is left to the caller', async () => {
  const answer = await get(`http://127.0.0.1:${port}/?to=http://10.0.0.1/`, { onlyPublic: false });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://10.0.0.1/']);
});
