import { execa } from 'execa';
import { messageOf, unreachableError } from '../../../core/errors.js';
import { certificatesEnd } from '../../../home/home-certificates.js';
import type { Binary } from '../binary/version.js';
import { engineEnvironment } from '../service/environment.js';

/** Certificates that expire sooner are renewed by the next `up`. The certificates last two years, the authority ten. */
const RENEW_DAYS = 180;
const DAY_MS = 24 * 3600 * 1000;

/** Whether the next `up` has certificates to make or renew. */
export const needRenewal = (folder: string): boolean => certificatesEnd(folder) < Date.now() + RENEW_DAYS * DAY_MS;

/**
 * Creates the home's authority and certificates, and renews those that expire within half a year. A running worker's
 * certificate stays valid until its end.
 *
 * @throws unreachableError `engine-certificates`
 */
export async function ensureCertificates({ path }: Binary, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['certificates', '--folder', folder, '--renew-within', `${RENEW_DAYS * 24}h`];
  try {
    await execa(path, args, { env: engineEnvironment(env), extendEnv: false, stdin: 'ignore', timeout: 30_000 });
  } catch (error) {
    const why = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) || messageOf(error);
    throw unreachableError(
      { code: 'engine-certificates', what: 'make the certificates of the engine', on: folder, why },
      { cause: error },
    );
  }
}
