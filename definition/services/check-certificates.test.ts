import { expect, test } from 'vitest';
import { checkCertificates } from '../check-services.js';
import type { ExpandedServer } from '../expanded-server.js';
import { Findings } from '../source/findings.js';
import type { PlacedService } from './settle-services.js';

const lb = { spec: { name: 'lb' } } as ExpandedServer;
const placed = (name: string, config: unknown) =>
  ({ spec: { name, config }, path: ['taskservs', name] }) as unknown as PlacedService;
const acme = placed('acme', { certificates: [{ name: 'shop' }] });

function told(...services: PlacedService[]): (string | undefined)[][] {
  const findings = new Findings();
  checkCertificates(lb, services, findings);
  return findings.all.map(({ message, suggestion }) => [message, suggestion]);
}

test('a certificate of acme is one that the acme of the same server gets', () => {
  expect(told(acme, placed('haproxy', { tls: { acme: ['shop'] } }), placed('redis', {}))).toEqual([]);
  expect(told(acme, placed('haproxy', { tls: { acme: ['shop', 'shpo'] } }))).toEqual([
    ['"haproxy" has the certificate "shpo", which acme does not issue', 'did you mean "shop"?'],
  ]);
  const nginx = placed('nginx', { tls: { certificate: { $secret: 'c' } }, sites: [{ name: 'a', acme: 'blog' }, { name: 'b' }] });
  expect(told(acme, nginx)[0]?.[0]).toBe('"nginx" has the certificate "blog", which acme does not issue');
});

test('without an acme there, that is told once', () => {
  expect(told(placed('haproxy', { tls: { acme: ['shop', 'blog'] } }))).toEqual([
    [
      '"haproxy" uses the certificate "shop" of acme, but the server "lb" has no acme',
      'add the taskserv acme to that server, or give certificate and key',
    ],
  ]);
});
