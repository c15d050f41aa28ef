import type { Endpoint, HealthCheck } from '../../../core/taskserv/taskserv.js';
import type { Answered } from './look-script.js';

/**
 * Why a check failed, or undefined when it passed.
 *
 * @param endpoints what the service listens on: a check by a command says by itself no port
 */
export function verdict(
  check: HealthCheck,
  { exit, stdout, fault }: Answered,
  endpoints: readonly Endpoint[] = [],
): string | undefined {
  const say = (why: string) => `${check.title}: ${why}${placeOf(check, why, endpoints)}`;
  if (fault) return say(fault);
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

/** The port that was asked, where the reason does not name it. */
function placeOf(check: HealthCheck, why: string, endpoints: readonly Endpoint[]): string {
  if ('http' in check) return why.includes(check.http) ? '' : ` (${check.http})`;
  const ports = 'tcp' in check ? [check.tcp] : [...new Set(endpoints.map(({ port }) => port))];
  if (ports.length === 0 || ports.some((port) => why.includes(`port ${port}`))) return '';
  return ` (${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')})`;
}
