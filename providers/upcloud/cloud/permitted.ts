import { UpCloudError } from '../client/index.js';

export type PermittedResult<T> = { value: T } | { why: string };

/** Returns the answer of a call, or the reason why this user has no permission. */
export async function callPermitted<T>(call: () => Promise<T>): Promise<PermittedResult<T>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof UpCloudError && error.kind === 'refused' && error.status === 403)
      return { why: `${error.reason} (${error.code})` };
    throw error;
  }
}
