import * as z from 'zod';
import { acmeCertificate, calendar, duration, hostName, hostPort, port, secret } from '../../sdk/index.js';

const domain = z
  .string()
  .max(253)
  .refine((name) => name === name.toLowerCase() && hostName().safeParse(name.replace(/^\*\./, '')).success && name.includes('.'), {
    error: 'a domain is written complete and in lower-case letters: shop.example.org, *.example.org',
  });

const systemName = (of: string) => z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: `${of} is named as on the host` });

const certificate = z.strictObject({
  name: acmeCertificate().describe('Its name: its files are in `/etc/acme/NAME`'),
  domains: z.array(domain).min(1).max(100).describe('What it is for; `*.example.org` needs `dns`'),
  key: z.enum(['ec256', 'ec384', 'rsa2048', 'rsa4096']).default('ec256').describe('Kind of its key'),
  group: systemName('a group').default('root').describe('Group that may read its files, besides root'),
  reload: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:_.@-]*$/, { error: 'a unit is named as systemd has it' }))
    .default(['haproxy', 'nginx'])
    .describe('Units that read it: those that run are reloaded, or restarted, when it was renewed'),
});

export type Certificate = z.output<typeof certificate>;

const plain = /^[A-Za-z0-9._:/@?&=+%-]*$/;

const dns = z
  .strictObject({
    provider: z
      .string()
      .regex(/^[a-z0-9]{1,30}$/, { error: 'a provider is named as lego has it: rfc2136, route53, …' })
      .default('rfc2136')
      .describe('Who has the zone, as lego names it; `rfc2136` for a server of your own'),
    server: hostPort('a server is written as "ns1.example.org:53"')
      .optional()
      .describe('Of `rfc2136`: the server that takes updates'),
    key: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,200}$/, { error: 'a TSIG key is named by letters, digits and "._-"' })
      .optional()
      .describe('Of `rfc2136`: name of the TSIG key'),
    algorithm: z.enum(['hmac-sha256', 'hmac-sha512']).default('hmac-sha256').describe('Of `rfc2136`: algorithm of the TSIG key'),
    secret: secret().optional().describe('Of `rfc2136`: the TSIG key, in base64'),
    environment: z
      .record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.union([z.string().regex(plain), secret()]))
      .default({})
      .describe('Of other providers: the variables that lego asks for, such as `AWS_ACCESS_KEY_ID`'),
    checkPropagation: z
      .boolean()
      .default(true)
      .describe('Whether all name servers of the zone have to know the record before the authority is asked to look'),
  })
  .refine(({ provider, server, key, secret }) => provider !== 'rfc2136' || (server && key && secret), {
    error: 'rfc2136 needs server, key and secret',
  })
  .refine(({ provider, server, key, secret }) => provider === 'rfc2136' || !(server || key || secret), {
    error: 'server, key and secret are of rfc2136: another provider has environment',
  });

export const acmeConfig = z
  .strictObject({
    email: z
      .email()
      .regex(/^[A-Za-z0-9._+@-]+$/)
      .describe('Whom the authority writes to; its terms are accepted in this name'),
    directory: z
      .url({ protocol: /^https$/, error: 'the directory of an ACME authority is an https:// URL' })
      .regex(plain)
      .default('https://acme-v02.api.letsencrypt.org/directory')
      .describe("URL of the authority's directory; default: Let's Encrypt"),
    authority: z
      .string()
      .regex(/^(-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n*)+$/, {
        error: 'an authority is one or more certificates in PEM',
      })
      .optional()
      .describe("Certificate by which the directory's server is known, PEM; default: those of the system"),
    httpPort: port(8402).describe(
      'TCP port on which HTTP-01 is answered: on loopback, behind haproxy or nginx; 80 where nobody else has it',
    ),
    dns: dns.optional().describe('Answers DNS-01 in place of HTTP-01'),
    renewBefore: duration('30 d').describe('How long before its end a certificate is renewed'),
    schedule: calendar().default('*-*-* 00/12:00').describe('When it is looked whether one has to be, as systemd has it'),
    certificates: z
      .array(certificate)
      .min(1)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, { error: 'each certificate is named once' })
      .describe('What it gets'),
  })
  .refine(({ dns, certificates }) => dns || !certificates.some(({ domains }) => domains.some((name) => name.startsWith('*'))), {
    path: ['certificates'],
    error: 'a certificate for all names below a domain (*.) is given only where dns says how to answer',
  })
  .refine(({ renewBefore }) => renewBefore >= 86_400, {
    path: ['renewBefore'],
    error: 'it is renewed a day before its end, at least',
  })
  .meta({
    examples: [
      { email: 'ops@example.org', certificates: [{ name: 'shop', domains: ['shop.example.org', 'www.shop.example.org'] }] },
    ],
  });

export type AcmeConfig = z.output<typeof acmeConfig>;
