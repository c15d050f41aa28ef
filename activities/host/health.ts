import type { CommandOutput } from '../../core/facts.js';
import type { HealthCheck } from '../../core/taskserv.js';

/** Why a check failed, or undefined when it passed. */
export function verdict(check: HealthCheck, { exit, stdout }: CommandOutput): string | undefined {
  const say = (why: string) => `${check.title}: ${why}`;
  if ('tcp' in check) return exit === 0 ? undefined : say(`port ${check.tcp} does not answer`);
  if ('command' in check) {
    if (exit !== 0) return say(`exit code ${exit}`);
    return check.expect === undefined || stdout.includes(check.expect) ? undefined : say(`the output lacks "${check.expect}"`);
  }
  const cut = stdout.lastIndexOf('\n');
  const status = Number(stdout.slice(cut + 1));
  const wanted = check.status ?? 200;
  if (status !== wanted)
    return say(
      status === 0 || Number.isNaN(status) ? `${check.http} does not answer` : `${check.http} answers ${status}, not ${wanted}`,
    );
  return check.expect === undefined || stdout.slice(0, cut).includes(check.expect)
    ? undefined
    : say(`the answer lacks "${check.expect}"`);
}
