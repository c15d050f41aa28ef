import * as z from 'zod';
import { duration, port, secret } from './fields.js';

/** A certificate of the taskserv acme, by its name there. */
export function acmeCertificate() {
  return z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,50}$/, { error: 'the name of a certificate has up to 51 lower-case letters, digits and dashes' });
}

/**
 * TLS of a web server, and the source of its certificate: the acme on the same server, or a given one.
 *
 * @param acme schema of acme's certificates: one, or several
 */
export function tls<T extends z.ZodType>(acme: T) {
  return z
    .strictObject({
      port: port(443).describe('TCP port for HTTPS'),
      acme: acme.optional(),
      certificate: secret().optional().describe('Certificate with its chain, PEM, if it does not come from acme'),
      key: secret().optional().describe('Private key, PEM'),
      redirect: z.boolean().default(true).describe('Whether requests without TLS are redirected to HTTPS'),
      hsts: duration('365 d').unwrap().optional().describe('Duration of HSTS, for which browsers only use HTTPS. Default: no HSTS'),
      minimum: z.enum(['TLSv1.2', 'TLSv1.3']).default('TLSv1.2').describe('Minimum TLS version'),
    })
    .refine(({ certificate, key }) => (certificate === undefined) === (key === undefined), {
      error: 'set both certificate and key',
    })
    .refine(({ acme, certificate }) => (acme === undefined) !== (certificate === undefined), {
      error: 'tls needs either acme, or certificate and key',
    });
}
