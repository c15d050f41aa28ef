import { fact } from '../host/facts.js';
import { sh } from '../host/shell.js';
import type { Step } from '../host/step.js';
import { listOffered, type Peer } from './taskserv.js';

/** Files of acme's certificate. */
export const acmeFiles = (name: string) => ({
  certificate: `/etc/acme/${name}/certificate.pem`,
  key: `/etc/acme/${name}/key.pem`,
  combined: `/etc/acme/${name}/combined.pem`,
});

/** Ciphers of TLS 1.2 with forward secrecy and authentication; those of TLS 1.3 are the library's. As Mozilla has them for clients of the last years. */
export const TLS12_CIPHERS = ['ECDSA', 'RSA']
  .flatMap((signed) => ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((of) => `ECDHE-${signed}-${of}`))
  .join(':');

/** The same, as programs in Go name them. */
export const TLS12_GO_CIPHERS: readonly string[] = ['ECDSA', 'RSA'].flatMap((signed) =>
  ['AES_128_GCM_SHA256', 'AES_256_GCM_SHA384', 'CHACHA20_POLY1305_SHA256'].map((of) => `TLS_ECDHE_${signed}_WITH_${of}`),
);

/** Names of acme's certificates without files yet. */
export const missingCertificates = (names: readonly string[]) =>
  fact<string[]>(
    names.length === 0 ? ':' : sh`for name in ${[...names]}; do [ -s "/etc/acme/$name/combined.pem" ] || echo "$name"; done`,
    ({ stdout }) => stdout.split('\n').filter(Boolean),
    [...names],
  );

/**
 * A temporary self-signed certificate. The authority asks for the names of the real one over HTTP, so the web server
 * must run by then, and it does not start without a certificate. Needs `openssl`.
 */
export const temporaryCertificate = (name: string): Step => ({
  title: `Make a temporary certificate ${name}, until acme has one`,
  run: sh`install -d -m 0755 /etc/acme
install -d -m 0750 ${`/etc/acme/${name}`}
cd ${`/etc/acme/${name}`}
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out certificate.pem -days 30 -subj /CN=temporary 2>/dev/null
: >temporary
cat certificate.pem key.pem >combined.pem`,
  undo: sh`[ ! -e ${`/etc/acme/${name}/temporary`} ] || rm -rf ${`/etc/acme/${name}`}`,
});

/** The port on loopback at which the acme of a server answers what an authority asks by HTTP-01; undefined where it does not. */
export const challengePort = (server: string, peers: readonly Peer[]): number | undefined =>
  listOffered(peers, 'acme-http').find((peer) => peer.server === server && peer.endpoint.local)?.endpoint.port;

/** Path of HTTP-01 challenges (RFC 8555, 8.3). */
export const CHALLENGE_PATH = '/.well-known/acme-challenge/';
