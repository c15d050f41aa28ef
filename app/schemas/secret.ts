import * as z from 'zod';
import { recipe } from '../../core/schema/recipe.js';
import { isCredential, isGenerated } from '../../core/taskserv/secret-reach.js';
import { providers } from '../../providers/registry.generated.js';
import type { AuthorityStep, OpenStep } from '../../secrets/generate/authority-steps.js';
import { secretRead } from '../../stores/secret-reads.js';
import type { Resource } from '../principal.js';
import type { SecretPlace } from '../secret/chosen-secret.js';
import { time, workspace } from './ids.js';

export const secretName = z.string().min(1).max(200).describe('Name of the secret, as definitions write it');
export const infraName = z.string().min(1).max(40);
const infra = infraName.optional().describe('Infra; only for a secret of one infra');
const shared = z.boolean().optional().describe('Whether all workspaces share the secret');

/** Fields that define the place of a new secret, or of the secrets of one call. */
export const secretScope = { workspace, infra, shared };
/** Fields that name one secret. */
export const secretPlace = { ...secretScope, name: secretName };

/** A value; its size is bounded by the size of a request. */
export const secretValue = z.string().min(1).describe('Value, never shown by other methods');

export const scopeName = z.enum(['infra', 'workspace', 'shared', 'account', 'generated']);
export const listedSecret = z.strictObject({
  name: z.string(),
  scope: scopeName.exclude(['generated']),
  infra: z.string().optional(),
});

export const secretVersion = z.strictObject({
  version: z.int().describe('From 1'),
  at: time,
  by: z.string().describe('Person, as `ada@desk`; empty if no person set it'),
  how: z.string().describe('Origin, such as `secret set` or `rolled back to 2`'),
  recipe: recipe.optional().describe('Recipe of a generated value'),
});

const openStep = z.enum(['trust', 'issue'] satisfies OpenStep[]);
/** Effects of an authority's rotation, done or only checked. */
export const authorityRotation = z.strictObject({
  step: z.enum([...openStep.options, 'finish', 'at-once'] satisfies AuthorityStep[]).describe('Step that is taken'),
  repeated: z.boolean().describe('Whether the authority is in this step already'),
});
/** The step that the rotation of an authority is in. */
export const authorityStep = openStep
  .optional()
  .describe('For an authority that is rotated: `trust` if clients also trust the next one, `issue` if the next one signs');

export const secretReadEntry = z.strictObject(secretRead.shape);

export const secretUse = z.strictObject({
  infra: z.string(),
  places: z.array(z.string()).describe('Services and servers that use the secret'),
  services: z
    .array(z.strictObject({ server: z.string(), taskserv: z.string() }))
    .describe('Installed services that a new value changes'),
});

/**
 * Returns the resource of a secret. Secrets of a workspace have an empty infra. Shared secrets and credentials of
 * accounts have an empty workspace too, whichever workspace the call names: a right in one workspace includes no right
 * to them. The name of a generated secret contains its infra.
 */
export function secretResource({ workspace, infra = '', shared, name }: SecretPlace): Resource {
  const id = (...parts: string[]) => ({ type: 'Secret' as const, id: [...parts, name].join('/') });
  if (isGenerated(name)) return id(workspace, name.split('/')[2] ?? '');
  return shared === true || isCredential(name, providers) ? id('', '') : id(workspace, infra);
}

/** All secrets of one scope. */
export const secretsResource = (scope: Omit<SecretPlace, 'name'>): Resource => secretResource({ ...scope, name: '*' });
