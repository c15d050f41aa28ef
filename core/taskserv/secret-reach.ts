import type { AnyProvider } from '../machine/provider.js';
import { isShare } from './groups/share.js';

/** Whom a secret is for: a workspace, or one infra of it. */
export interface SecretScope {
  workspace: string;
  infra?: string;
}

const GENERATED = 'generated/';

/** How the names of an infra's generated secrets begin. */
export const formatGeneratedPrefix = ({ workspace, infra }: Required<SecretScope>): string => `${GENERATED}${workspace}/${infra}/`;

export const isGenerated = (name: string): boolean => name.startsWith(GENERATED);

/** Whether it is a credential of a provider's account, `hetzner/prod/token`. */
export function isCredential(name: string, providers: Readonly<Record<string, Pick<AnyProvider, 'variables'>>>): boolean {
  const [provider = '', ...rest] = name.split('/');
  return rest.length === 2 && Object.hasOwn(providers, provider) && providers[provider]?.variables !== undefined;
}

/** Why a definition of an infra cannot refer to a secret of this name; undefined where it can. */
export function explainOutOfReach(
  name: string,
  infra: Required<SecretScope>,
  providers: Readonly<Record<string, Pick<AnyProvider, 'variables'>>>,
): string | undefined {
  if (isShare(name)) return 'it is a share of a group, which only the steps of its members get';
  if (isGenerated(name) && !name.startsWith(formatGeneratedPrefix(infra))) return 'it was generated for another infra';
  // Also as `{ secret: … }`: whoever has the key of an authority signs for everybody.
  if (/^generated\/[^/]+\/[^/]+\/ca\/(?![^/]+\/certificate$)/.test(name)) return 'of an authority only the certificate is given';
  if (/^(?:vault|aws-secrets)\//.test(name)) return 'it is a credential of the workspace, which is for who submits alone';
  return isCredential(name, providers) ? 'it is a credential of an account, which is for the worker alone' : undefined;
}
