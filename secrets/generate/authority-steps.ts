import { X509Certificate } from 'node:crypto';
import type { Recipe } from '../../core/schema/recipe.js';
import { certificatesIn, keysIn, listTrusted, makeAuthority, makeCertificate } from './certificates.js';
import { CA_DAYS, CERTIFICATE_DAYS } from './makers.js';

type AuthorityRecipe = Extract<Recipe, { generate: 'ca' }>;
export type CertificateRecipe = Extract<Recipe, { generate: 'certificate' }>;

/**
 * Steps that replace an authority. During `trust` and `issue`, clients trust both authorities, so that clients and
 * servers may be changed in any order.
 *
 * | step | certificates are signed by | clients trust |
 * | --- | --- | --- |
 * | `trust` | the former | both |
 * | `issue` | the next | both |
 * | `finish` | the next | the next |
 * | `at-once` | the next | the next, without the steps between |
 */
export type AuthorityStep = 'trust' | 'issue' | 'finish' | 'at-once';

/** Step of a rotation in progress; undefined without a rotation. */
export type OpenStep = Extract<AuthorityStep, 'trust' | 'issue'>;

/**
 * Returns the step of an authority's rotation, from its stored value. The value begins with the key and the certificate
 * of the signing authority. In `trust` the key and certificate of the next one follow; in `issue`, the former
 * certificate.
 *
 * @param authority stored value
 */
export function stepIn(authority: string): OpenStep | undefined {
  if (keysIn(authority).length > 1) return 'trust';
  return certificatesIn(authority).length > 1 ? 'issue' : undefined;
}

/** Returns the next step. @param step undefined if no rotation is in progress */
export const nextStep = (step: OpenStep | undefined): AuthorityStep =>
  step === undefined ? 'trust' : step === 'trust' ? 'issue' : 'finish';

/**
 * Performs a step on an authority.
 *
 * @param authority stored value
 * @param generation number of the next authority for its subject, unused by former ones
 * @returns the new value to store
 */
export function takeStep(
  authority: string,
  step: AuthorityStep,
  { name, days = CA_DAYS }: AuthorityRecipe,
  generation: number,
): string {
  const [key = '', nextKey = ''] = keysIn(authority);
  const [certificate = '', nextCertificate = ''] = certificatesIn(authority);
  const makeNext = () => makeAuthority(`${name} ${generation}`, days);
  switch (step) {
    case 'trust':
      return `${key}${certificate}${makeNext()}`;
    case 'issue':
      return `${nextKey}${nextCertificate}${certificate}`;
    case 'finish':
      return `${key}${certificate}`;
    case 'at-once':
      return makeNext();
  }
}

/**
 * Updates a certificate to the step of its authority. A certificate of the signing authority stays; another gets a new
 * key.
 *
 * @param pair stored value of the certificate
 * @returns the value to store, unchanged if nothing changes
 */
export function followAuthority(pair: string, authority: string, { names, days = CERTIFICATE_DAYS }: CertificateRecipe): string {
  const [own = ''] = certificatesIn(pair);
  if (!isSignedBy(pair, authority)) return makeCertificate(authority, names, days);
  return `${keysIn(pair)[0] ?? ''}${own}${listTrusted(authority).join('')}`;
}

/** Reports whether the present signing key signed a certificate. @param pair stored value of the certificate */
export function isSignedBy(pair: string, authority: string): boolean {
  const [own = ''] = certificatesIn(pair);
  const [signing = ''] = certificatesIn(authority);
  return new X509Certificate(own).verify(new X509Certificate(signing).publicKey);
}
