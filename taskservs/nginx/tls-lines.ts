import { CHALLENGE_PATH, TLS12_CIPHERS } from '../../sdk/index.js';
import type { NginxConfig } from './nginx-config.js';

/** How a server serves by TLS. */
export type Tls = NonNullable<NginxConfig['tls']> & {
  files: { certificate: string; key: string };
  /** Port on which acme of this server answers challenges. */
  challenges: number | undefined;
};

/** A server with TLS that redirects has another one for its plain port. */
export function listens(port: number, tls: Tls | undefined, options = ''): string {
  const plain = `    listen ${port}${options};`;
  if (!tls) return plain;
  const encrypted = `    listen ${tls.port} ssl http2${options};`;
  return tls.redirect ? encrypted : `${plain}\n${encrypted}`;
}

/** TLS directives of a server, each with its line end. */
export function tlsLines(tls: Tls | undefined): string {
  if (!tls) return '';
  const { files, minimum, hsts } = tls;
  return [
    `ssl_certificate ${files.certificate};`,
    `ssl_certificate_key ${files.key};`,
    `ssl_protocols ${minimum === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2 TLSv1.3'};`,
    `ssl_ciphers ${TLS12_CIPHERS};`,
    'ssl_prefer_server_ciphers off;',
    'ssl_session_cache shared:provisioning:10m;',
    'ssl_session_timeout 1d;',
    'ssl_session_tickets off;',
    ...(hsts ? [`add_header Strict-Transport-Security "max-age=${hsts}" always;`] : []),
    ...(tls.redirect ? [] : challengeLines(tls.challenges)),
  ]
    .map((line) => `    ${line}\n`)
    .join('');
}

const challengeLines = (port: number | undefined): string[] =>
  port === undefined ? [] : [`location ^~ ${CHALLENGE_PATH} { proxy_pass http://127.0.0.1:${port}; proxy_set_header Host $host; }`];

/** Sends clients on to HTTPS, and passes on what an authority asks for. */
export function plainServer(
  { port, serverName, isDefault, lines }: { port: number; serverName: string; isDefault?: true; lines: readonly string[] },
  tls: { port: number },
  challenges: number | undefined,
): string {
  const at = tls.port === 443 ? '' : `:${tls.port}`;
  const all = [...challengeLines(challenges).map((line) => `    ${line}`), ...lines];
  return `server {
    listen ${port}${isDefault ? ' default_server' : ''};
    server_name ${serverName};
${all.map((line) => `${line}\n`).join('')}
    location / {
        return 301 https://$host${at}$request_uri;
    }
}`;
}
