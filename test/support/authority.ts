import { keepSecrets } from '../catalog/keep-certificates.js';
import { AUTHORITY, PEBBLE } from '../catalog/proofs/certificates.js';
import { TSIG } from '../catalog/proofs/name-server.js';
import type { TestEngine } from './engine.js';
import { type HostShell, shellOf } from './hosts.js';

/**
 * Settings with which acme uses the authority of an infra. Its certificates are valid for five years, so that each
 * check renews them.
 */
export const askedOf = (authority: string) => ({
  email: 'ops@example.org',
  directory: 'https://b:14000/dir',
  authority,
  renewBefore: '2000 d',
});

/**
 * Creates a certificate authority and its name server on the server `b` of an infra. The key of the zone example.org
 * is the secret `tsig` of the infra.
 *
 * @param address of `shop.example.org`
 * @returns the authority's own TLS certificate, PEM
 */
export async function makeAuthority(engine: TestEngine, infra: string, address = '192.0.2.9'): Promise<string> {
  await keepSecrets(engine, infra, { tsig: TSIG });
  return `${await shellOf(infra, 'b')(`ADDRESS=${address}\n${AUTHORITY}`)}\n`;
}

/** Returns the root certificate of the authority, which clients trust. */
export const rootOf = (beside: HostShell): Promise<string> => beside('curl -fsSk https://localhost:15000/roots/0');

/** Stops the authority. */
export const stopAuthority = (beside: HostShell): Promise<string> => beside('systemctl stop pebble');

/** Starts the authority again. It has another root certificate and no accounts. */
export const startAuthority = (beside: HostShell): Promise<string> => beside(`{ ${PEBBLE}\n} >/dev/null 2>&1`);
