import type { Endpoint, HealthCheck } from '../../../core/taskserv/taskserv.js';
import type { ScriptAnswer, UnitState } from './look-script.js';

/** Maximum number of reported characters of a check's output. */
const LONGEST = 200;

/** Context of a check's answer. */
export interface HealthContext {
  /** Endpoints of the service, because a check by a command names no port. */
  endpoints?: readonly Endpoint[];
  /** Units of the service that are not active. */
  units?: readonly (UnitState & { name: string })[];
  /** Masks secrets in what was printed. */
  hide?: (text: string) => string;
}

/** Why a check failed, or undefined when it passed: the unit that does not run, else what the check found. */
export function verdict(
  check: HealthCheck,
  answer: ScriptAnswer,
  { endpoints = [], units = [], hide = String }: HealthContext = {},
) {
  const why = whyFailed(check, answer, hide);
  if (why === undefined) return undefined;
  const [unit] = units;
  return `${check.title}: ${unit ? unitText(unit) : `${why}${placeOf(check, why, endpoints)}`}`;
}

/** A page that is elsewhere, and an answer without a body, come from a service that works. */
const isWell = (status: number): boolean => status >= 200 && status < 400;

function whyFailed(check: HealthCheck, answer: ScriptAnswer, hide: (text: string) => string): string | undefined {
  const { exit, stdout, fault } = answer;
  if (fault) return fault;
  if ('tcp' in check) return exit === 0 ? undefined : `port ${check.tcp} does not answer`;
  if ('command' in check) {
    if (exit !== 0) return printedBy(answer, hide) ?? `exit code ${exit}`;
    if (check.expect === undefined || stdout.includes(check.expect)) return undefined;
    return [`the output lacks "${check.expect}"`, printedBy(answer, hide)].filter(Boolean).join(': ');
  }
  if ('records' in check) return 'the provider of the zone was not asked';
  const cut = stdout.lastIndexOf('\n');
  const status = Number(stdout.slice(cut + 1));
  const why = (fault: string, said = saidBy(stdout.slice(0, cut), hide)) => `${check.http} ${fault}${said ? `: ${said}` : ''}`;
  // By TLS there are more reasons than that nothing listens, and curl names them.
  if (status === 0 || Number.isNaN(status))
    return check.http.startsWith('https:') ? why('does not answer') : why('does not answer', '');
  if (check.status === undefined && !isWell(status)) return why(`answers ${status}, not 2xx or 3xx`);
  if (check.status !== undefined && status !== check.status) return why(`answers ${status}, not ${check.status}`);
  if (check.expect === undefined || stdout.slice(0, cut).includes(check.expect)) return undefined;
  return `the answer lacks "${check.expect}"`;
}

/** First line of an answer's text, masked before it is shortened. HTML pages say no more than the status. */
function saidBy(body: string, hide: (text: string) => string): string | undefined {
  if (body.trimStart().startsWith('<')) return undefined;
  const line = hide(body)
    .split('\n')
    .find((one) => /\w/.test(one))
    ?.trim();
  return line && shortened(line);
}

const shortened = (line: string): string => (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);

/** Last line of a check's output, preferably of its error output. It is masked before it is shortened. */
function printedBy({ stdout, stderr }: ScriptAnswer, hide: (text: string) => string): string | undefined {
  const lastOf = (text = '') =>
    hide(text)
      .split('\n')
      // Many programs underline where an error is.
      .findLast((line) => /[^\s^~-]/.test(line))
      ?.trim();
  const line = lastOf(stderr) || lastOf(stdout);
  return line ? shortened(line) : undefined;
}

function unitText({ name, load, active, result }: UnitState & { name: string }): string {
  const unit = /\.(service|socket|timer|mount|target)$/.test(name) ? name : `${name}.service`;
  if (load === 'masked') return `Unit ${unit} is masked`;
  if (load === 'not-found') return `Unit ${unit} not found`;
  if (load === 'bad-setting' || load === 'error') return `Unit ${unit} cannot be loaded (${load})`;
  if (active === 'failed') return `${unit} failed${result && result !== 'success' ? ` (${result})` : ''}`;
  return `${unit} is ${active}`;
}

/** The port that was asked, where the reason does not name it. */
function placeOf(check: HealthCheck, why: string, endpoints: readonly Endpoint[]): string {
  if ('http' in check) return why.includes(check.http) ? '' : ` (${check.http})`;
  const ports = 'tcp' in check ? [check.tcp] : [...new Set(endpoints.map(({ port }) => port))];
  if (ports.length === 0 || ports.some((port) => why.includes(`port ${port}`))) return '';
  return ` (${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')})`;
}
