import { X509Certificate } from 'node:crypto';
import type { Recipe } from '../../core/schema/recipe.js';
import { certificatesIn, keysIn, listTrusted, makeAuthority, makeCertificate } from './certificates.js';
import { CA_DAYS, CERTIFICATE_DAYS } from './makers.js';

type AuthorityRecipe = Extract<Recipe, { generate: 'ca' }>;
export type CertificateRecipe = Extract<Recipe, { generate: 'certificate' }>;

/**
 * The steps by which an authority is replaced. While `trust` and `issue` last, clients trust both authorities, so that a
 * client and a server may be changed in any order.
 *
 * | step | certificates are signed by | clients trust |
 * | --- | --- | --- |
 * | `trust` | the former | both |
 * | `issue` | the next | both |
 * | `finish` | the next | the next |
 * | `at-once` | the next | the next, without the steps between |
 */
export type AuthorityStep = 'trust' | 'issue' | 'finish' | 'at-once';

/** The step that a rotation is in; undefined if none is under way. */
export type OpenStep = Extract<AuthorityStep, 'trust' | 'issue'>;

/**
 * The step that the rotation of an authority is in. What is kept says it: first the key and the certificate of the authority
 * that signs, then, in `trust`, key and certificate of the next one or, in `issue`, the certificate of the former one.
 *
 * @param authority what is kept of it
 */
export function stepIn(authority: string): OpenStep | undefined {
  if (keysIn(authority).length > 1) return 'trust';
  return certificatesIn(authority).length > 1 ? 'issue' : undefined;
}

/** The step after one. @param step undefined if no rotation is under way */
export const nextStep = (step: OpenStep | undefined): AuthorityStep =>
  step === undefined ? 'trust' : step === 'trust' ? 'issue' : 'finish';

/**
 * Takes an authority through a step.
 *
 * @param authority what is kept of it
 * @param generation number of the next authority, which is in its subject; none of its former ones has it
 * @returns what is to be kept
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
 * Brings a certificate to the step of its authority. One that the signing authority signed stays; another gets a new key.
 *
 * @param pair what is kept of the certificate
 * @returns what is to be kept, the same if nothing changes
 */
export function followAuthority(pair: string, authority: string, { names, days = CERTIFICATE_DAYS }: CertificateRecipe): string {
  const [own = ''] = certificatesIn(pair);
  if (!isSignedBy(pair, authority)) return makeCertificate(authority, names, days);
  return `${keysIn(pair)[0] ?? ''}${own}${listTrusted(authority).join('')}`;
}

/** Whether the key with which an authority signs now signed a certificate. @param pair what is kept of the certificate */
export function isSignedBy(pair: string, authority: string): boolean {
  const [own = ''] = certificatesIn(pair);
  const [signing = ''] = certificatesIn(authority);
  return new X509Certificate(own).verify(new X509Certificate(signing).publicKey);
}
