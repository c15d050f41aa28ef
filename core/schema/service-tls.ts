import * as z from 'zod';
import { parseGeneratedName } from '../taskserv/generated-names.js';
import type { SecretRef } from '../taskserv/secret.js';
import { duration, port, secret } from './fields.js';
import { acmeCertificate } from './tls.js';

/** TLS of a service, and the source of its certificate: the acme on the same server, or a given one. */
export interface ServiceTls {
  acme?: string | undefined;
  certificate?: SecretRef | undefined;
  key?: SecretRef | undefined;
  minimum: 'TLSv1.2' | 'TLSv1.3';
  /** Seconds. */
  warnBefore: number;
}

const fields = () => ({
  acme: acmeCertificate().optional().describe('Name of an acme certificate on this server'),
  certificate: secret().optional().describe('Certificate with its chain, PEM, if it does not come from acme'),
  key: secret().optional().describe('Private key, PEM'),
  minimum: z.enum(['TLSv1.2', 'TLSv1.3']).default('TLSv1.2').describe('Minimum TLS version'),
  warnBefore: duration('7 d').describe('Remaining validity at which the certificate counts as not healthy'),
});

const required = (plain: string) =>
  z.boolean().default(true).describe(`Whether remote clients must use TLS; \`false\` also allows clients without it, ${plain}`);

/** TLS of a service that speaks it on the port that it has in any case, and may speak plain text there as well. */
export const tlsOnItsPort = () => checked(z.strictObject({ ...fields(), required: required('on the same port') }));

/**
 * TLS of a service that speaks it on a port of its own.
 *
 * @param preset that port
 */
export const tlsOnAnotherPort = (preset: number) =>
  checked(
    z.strictObject({
      port: port(preset).describe('TCP port for TLS'),
      ...fields(),
      required: required('on the plain port'),
    }),
  );

/** TLS of a service that speaks nothing else once it is set. */
export const tlsAlone = () => checked(z.strictObject(fields()));

function checked<T extends z.ZodType<ServiceTls>>(schema: T): T {
  return schema
    .refine(({ certificate, key }) => (certificate === undefined) === (key === undefined), {
      error: 'set both certificate and key',
    })
    .refine(({ acme, certificate }) => (acme === undefined) !== (certificate === undefined), {
      error: 'tls needs either acme, or certificate and key',
    })
    .superRefine(({ certificate, key }, context) => {
      const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      const [of, keyOf] = [generatedPart(certificate), generatedPart(key)];
      if (of && !['certificate', 'bundle'].includes(of.part))
        wrong('certificate', 'set part: certificate to generate a certificate');
      else if (keyOf && keyOf.part !== 'key') wrong('key', 'set part: key to generate a key');
      else if (of && keyOf && of.pair !== keyOf.pair) {
        wrong('key', 'the key belongs to another certificate: give both the same ca, names and days');
      }
    });
}

/** The pair of `{ generate: certificate }`, and which part of it; undefined for what is not generated. */
function generatedPart(ref: SecretRef | undefined): { pair: string; part: string } | undefined {
  const { kept, kind, part } = parseGeneratedName(ref?.$secret ?? '');
  return kind === 'certificate' && part !== undefined ? { pair: kept, part } : undefined;
}
