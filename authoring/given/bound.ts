import { inputError } from '../../core/errors.js';
import type { GivenPlace } from './given-kind.js';

/**
 * Reads credentials that are bound to the workspace, by their names below a prefix. Only secrets of this workspace are
 * used: no shared secrets, and no credentials of this process or the worker.
 *
 * @throws an input error `given-credentials` if one of `needed` is not set
 */
export async function readBoundCredentials<Needed extends string, More extends string>(
  { context, ownSecret }: GivenPlace,
  prefix: 'vault' | 'aws-secrets',
  needed: readonly Needed[],
  more: readonly More[],
): Promise<Record<Needed, string> & Partial<Record<More, string>>> {
  const found: [Needed | More, string | undefined][] = [];
  for (const name of [...needed, ...more]) found.push([name, await ownSecret(`${prefix}/${name}`)]);
  for (const [name, value] of found) {
    if (value !== undefined || !needed.some((one) => one === name)) continue;
    throw inputError({
      code: 'given-credentials',
      what: 'read the secret',
      on: `${prefix}/${name}`,
      why: `the secret is not set for the workspace ${context.workspace}`,
      hint: `provisioning secret set ${prefix}/${name}`,
    });
  }
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as never;
}

/** Splits `path#field` into its parts. */
export function pathAndField(text: string): [path: string, field: string] {
  const at = text.lastIndexOf('#');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Returns one field of a secret with several fields. The error lists the field that is missing, never a value.
 *
 * @throws an input error `given-missing`
 */
export function readField(values: unknown, field: string, on: string): string {
  const record = typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  const why = value === undefined ? `the secret has no field "${field}"` : `its field "${field}" is not a text, or is empty`;
  throw inputError({ code: 'given-missing', what: 'read the secret', on, why });
}
