import * as z from 'zod';
import { acmeCertificate, calendar, duration, hostName, hostPort, port, secret } from '../../sdk/index.js';

const domain = z
  .string()
  .max(253)
  .refine((name) => name === name.toLowerCase() && hostName().safeParse(name.replace(/^\*\./, '')).success && name.includes('.'), {
    error: 'write a domain completely, in lower-case letters: shop.example.org, *.example.org',
  });

const systemName = (of: string) => z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: `${of} is named as on the host` });

const certificate = z.strictObject({
  name: acmeCertificate().describe('Name of the certificate; its files are in `/etc/acme/NAME`'),
  domains: z.array(domain).min(1).max(100).describe('DNS names; `*.example.org` needs `dns`'),
  key: z.enum(['ec256', 'ec384', 'rsa2048', 'rsa4096']).default('ec256').describe('Kind of its key'),
  group: systemName('a group').default('root').describe('Group that may read its files, in addition to root'),
  reload: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:_.@-]*$/, { error: 'use the name of a systemd unit' }))
    .default(['haproxy', 'nginx'])
    .describe('Units that use the certificate: running units are reloaded or restarted after a renewal'),
});

export type Certificate = z.output<typeof certificate>;

const plain = /^[A-Za-z0-9._:/@?&=+%-]*$/;

const dns = z
  .strictObject({
    provider: z
      .string()
      .regex(/^[a-z0-9]{1,30}$/, { error: 'use the name of the provider in lego: rfc2136, route53, …' })
      .default('rfc2136')
      .describe('DNS provider of the zone, with its name in lego; `rfc2136` for your own name server'),
    server: hostPort('write a server as "ns1.example.org:53"')
      .optional()
      .describe('For `rfc2136`: name server that accepts updates'),
    key: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,200}$/, { error: 'the name of a TSIG key has letters, digits and "._-"' })
      .optional()
      .describe('For `rfc2136`: name of the TSIG key'),
    algorithm: z.enum(['hmac-sha256', 'hmac-sha512']).default('hmac-sha256').describe('For `rfc2136`: algorithm of the TSIG key'),
    secret: secret().optional().describe('For `rfc2136`: TSIG key, in base64'),
    environment: z
      .record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.union([z.string().regex(plain), secret()]))
      .default({})
      .describe('For other providers: variables for lego, such as `AWS_ACCESS_KEY_ID`'),
    checkPropagation: z
      .boolean()
      .default(true)
      .describe('Whether all name servers of the zone must know the record before the authority checks it'),
  })
  .refine(({ provider, server, key, secret }) => provider !== 'rfc2136' || (server && key && secret), {
    error: 'rfc2136 needs server, key and secret',
  })
  .refine(({ provider, server, key, secret }) => provider === 'rfc2136' || !(server || key || secret), {
    error: 'server, key and secret are only for rfc2136: other providers use environment',
  });

export const acmeConfig = z
  .strictObject({
    email: z
      .email()
      .regex(/^[A-Za-z0-9._+@-]+$/)
      .describe('Mail address for the authority, which also accepts its terms'),
    directory: z
      .url({ protocol: /^https$/, error: 'the directory of an ACME authority must be an https:// URL' })
      .regex(plain)
      .default('https://acme-v02.api.letsencrypt.org/directory')
      .describe("Directory URL of the authority; default: Let's Encrypt"),
    authority: z
      .string()
      .regex(/^(-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n*)+$/, {
        error: 'an authority is one or more certificates in PEM',
      })
      .optional()
      .describe("Certificate that identifies the directory's server, PEM; default: the system certificates"),
    httpPort: port(8402).describe('TCP port for HTTP-01: on loopback, behind haproxy or nginx; 80 if no other program uses it'),
    dns: dns.optional().describe('DNS-01 settings, instead of HTTP-01'),
    renewBefore: duration('30 d').describe('Remaining validity at which a certificate is renewed'),
    schedule: calendar().default('*-*-* 00/12:00').describe('Time of the renewal check, in the format of systemd'),
    certificates: z
      .array(certificate)
      .min(1)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
        error: 'each certificate may be listed only once',
      })
      .describe('Certificates to request'),
  })
  .refine(({ dns, certificates }) => dns || !certificates.some(({ domains }) => domains.some((name) => name.startsWith('*'))), {
    path: ['certificates'],
    error: 'a certificate for all names below a domain (*.) needs dns',
  })
  .refine(({ renewBefore }) => renewBefore >= 86_400, {
    path: ['renewBefore'],
    error: 'renew it at least one day before its end',
  })
  .meta({
    examples: [
      { email: 'ops@example.org', certificates: [{ name: 'shop', domains: ['shop.example.org', 'www.shop.example.org'] }] },
    ],
  });

export type AcmeConfig = z.output<typeof acmeConfig>;
