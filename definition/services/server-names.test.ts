import { expect, test } from 'vitest';
import { addServerNames } from './services.js';
import type { PlacedService } from './settle-services.js';

const placed = (name: string, config: unknown, ...tls: boolean[]) =>
  ({
    spec: { name, config, endpoints: tls.map((tls, at) => ({ name: 'metrics', port: 9100 + at, ...(tls && { tls }) })) },
  }) as PlacedService;
const names = (...services: PlacedService[]) =>
  addServerNames('db', services).map(({ spec }) => spec.endpoints.map(({ serverName }) => serverName));

const certificates = [
  { name: 'shop', domains: ['shop.example.org', 'www.example.org'] },
  { name: 'all', domains: ['*.example.org'] },
];
const acme = placed('acme', { certificates }, false);

test('what has a certificate of acme is asked by TLS under a name that acme asks for', () => {
  expect(names(placed('nats', { tls: { acme: 'shop' } }, true, false), acme)).toEqual([
    ['shop.example.org', undefined],
    [undefined],
  ]);
  expect(names(acme, placed('prometheus', { tls: { acme: 'all' } }, true))).toEqual([[undefined], ['db.example.org']]);
});

test('other certificates have the name of the server', () => {
  const given = { tls: { certificate: { $secret: 'c' }, key: { $secret: 'k' } } };
  expect(names(acme, placed('nats', given, true), placed('redis', {}, true))).toEqual([[undefined], [undefined], [undefined]]);
  expect(names(placed('nats', { tls: { acme: 'shop' } }, true))).toEqual([[undefined]]);
  expect(names(acme, placed('nats', { tls: { acme: 'other' } }, true), placed('broken', undefined))).toEqual([
    [undefined],
    [undefined],
    [],
  ]);
});
