import { type Blame, type ErrorDetails, ProvisioningError, TRANSIENT } from '../../core/errors.js';

const BLAMES: ReadonlySet<unknown> = new Set<Blame>(['user', TRANSIENT, 'bug']);
/** Maximum length of a stored text from a problem, in characters. */
const MOST = 8_000;

/** Hints of the server to programs, as commands need them. */
const HINTS: Readonly<Record<string, string>> = {
  'GET /openapi.json describes the input': 'the command and the server may be of different versions: provisioning version',
  'GET /openapi.json lists all paths': 'the server may be of another version: provisioning version',
  'send a token in the header Authorization: Bearer':
    'provisioning login; an administrator of the server makes tokens with provisioning token create',
};

/** Returns the error in problem details of the server, as over the socket; undefined if they are not the platform's. */
export function readProblem(text: string): ProvisioningError | undefined {
  let problem: Record<string, unknown>;
  try {
    problem = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { code, blame, what, why } = problem ?? {};
  if (typeof code !== 'string' || !/^[a-z][a-z0-9-]{0,63}$/.test(code) || !BLAMES.has(blame)) return undefined;
  if (typeof what !== 'string' || typeof why !== 'string') return undefined;
  const shorten = (key: string) => (typeof problem[key] === 'string' ? { [key]: (problem[key] as string).slice(0, MOST) } : {});
  const flag = (key: string) => (problem[key] === true ? { [key]: true } : {});
  const hint = HINTS[problem.hint as string];
  return new ProvisioningError({
    ...{ code, blame: blame as Blame, what: what.slice(0, MOST), why: why.slice(0, MOST) },
    ...shorten('on'),
    ...(hint === undefined ? shorten('hint') : { hint }),
    ...flag('absent'),
    ...flag('final'),
    ...flag('outOfPatience'),
    ...(typeof problem.retryAfterMs === 'number' && { retryAfterMs: problem.retryAfterMs }),
  } as ErrorDetails);
}
