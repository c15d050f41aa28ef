import { keepSecrets } from '../catalog/keep-certificates.js';
import { AUTHORITY, PEBBLE } from '../catalog/proofs/certificates.js';
import { TSIG } from '../catalog/proofs/name-server.js';
import type { TestEngine } from './engine.js';
import { type HostShell, shellOf } from './hosts.js';

/** How acme asks the authority of an infra. Its certificates are of five years, so that each look renews them. */
export const askedOf = (authority: string) => ({
  email: 'ops@example.org',
  directory: 'https://b:14000/dir',
  authority,
  renewBefore: '2000 d',
});

/**
 * Makes an authority of certificates and the name server that it asks, on the server `b` of an infra. The key of the zone
 * example.org is the secret `tsig` of the infra.
 *
 * @param address that of `shop.example.org`
 * @returns the certificate that the authority is reached by, PEM
 */
export async function makeAuthority(engine: TestEngine, infra: string, address = '192.0.2.9'): Promise<string> {
  await keepSecrets(engine, infra, { tsig: TSIG });
  return `${await shellOf(infra, 'b')(`ADDRESS=${address}\n${AUTHORITY}`)}\n`;
}

/** The root of what it issues, which clients trust. */
export const rootOf = (beside: HostShell): Promise<string> => beside('curl -fsSk https://localhost:15000/roots/0');

/** Nobody answers where the authority was. */
export const stopAuthority = (beside: HostShell): Promise<string> => beside('systemctl stop pebble');

/** It answers again. It has another root, and knows no account. */
export const startAuthority = (beside: HostShell): Promise<string> => beside(`{ ${PEBBLE}\n} >/dev/null 2>&1`);
