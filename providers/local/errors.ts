import { addAbortListener } from 'node:events';
import { absentError, inputError, messageOf, ProvisioningError, unreachableError } from '../../sdk/index.js';

/** Error of dockerode: an HTTP status, or the code of a failed connection. */
interface DockerFailure extends Error {
  statusCode?: number;
  code?: string;
}

export const statusOf = (error: unknown): number | undefined => (error as DockerFailure | undefined)?.statusCode;

/**
 * Calls Docker, and converts its failure to our errors. Rejects immediately when the signal is aborted. Docker then
 * completes the work, and the next call finds it.
 */
export async function call<T>(what: string, on: string, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await (signal ? Promise.race([run(), aborted(signal)]) : run());
  } catch (error) {
    throw translate(what, on, error);
  }
}

const waits = new WeakMap<AbortSignal, Promise<never>>();

function aborted(signal: AbortSignal): Promise<never> {
  let wait = waits.get(signal);
  if (!wait) {
    wait = new Promise<never>((_, reject) => {
      addAbortListener(signal, () => reject(signal.reason));
    });
    wait.catch(() => {});
    waits.set(signal, wait);
  }
  return wait;
}

/** Converts Docker's answers to our errors, by status and text. Aborts and our own errors pass unchanged. */
export function translate(what: string, on: string, error: unknown): unknown {
  if (error instanceof ProvisioningError) return error;
  const { statusCode, code, name } = error as DockerFailure;
  if (name === 'AbortError' || name === 'CancelledFailure' || (statusCode === undefined && code === undefined)) return error;
  const why = messageOf(error).replace(/^\(HTTP code \d+\) [^-]*- /, '');
  const parts = { what, on, why };
  const hint = 'run `provisioning up --local`';
  if (code === 'ENOENT')
    return absentError({ ...parts, code: 'docker-not-running', why: 'no Docker Engine is running here', hint });
  if (code === 'EACCES')
    return inputError({
      ...parts,
      code: 'docker-not-permitted',
      why: 'this user has no permission to use the Docker Engine',
      hint: 'add the user to the group docker, or run as root',
    });
  if (statusCode === undefined) return unreachableError({ ...parts, code: 'docker-not-running', hint });
  if (/no such image/i.test(why)) return inputError({ ...parts, code: 'host-image-missing', hint });
  if (/active endpoints/i.test(why)) return unreachableError({ ...parts, code: 'network-in-use' });
  if (/network .* not found/i.test(why)) return inputError({ ...parts, code: 'network-missing' });
  if (/no space left/i.test(why))
    return absentError({ ...parts, code: 'disk-full', hint: 'free space in the folder of the Docker Engine' });
  if (/address pool/i.test(why))
    return inputError({ ...parts, code: 'no-subnet-left', hint: 'delete unused networks: `docker network prune`' });
  if (statusCode === 400) return inputError({ ...parts, code: 'docker-refused' });
  return unreachableError({ ...parts, code: statusCode === 404 ? 'docker-not-found' : 'docker-failed' });
}
