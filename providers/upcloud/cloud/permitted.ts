import { UpCloudError } from '../client/index.js';

export type PermittedResult<T> = { value: T } | { why: string };

/** What a call answers, or why this user may not ask. */
export async function callPermitted<T>(call: () => Promise<T>): Promise<PermittedResult<T>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof UpCloudError && error.kind === 'refused' && error.status === 403)
      return { why: `${error.reason} (${error.code})` };
    throw error;
  }
}
