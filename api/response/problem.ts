import { OTHER_VERSION } from '../../app/pipeline.js';
import { type ErrorKind, httpStatusOf, kindOf } from '../../core/error-kinds.js';
import { type ErrorDetails, errorText, messageOf, ProvisioningError } from '../../core/errors.js';

/** An error as RFC 9457 has it, with the parts of ours beside: a client makes the same error of them again. */
export interface Problem extends ErrorDetails {
  type: string;
  /** What kind of error it is, in words. */
  title: string;
  status: number;
  /** One line: what failed, on what, and why. */
  detail: string;
  kind: ErrorKind;
  /** The id of the request, which the log has, too. */
  request: string;
}

const TITLES: Readonly<Record<ErrorKind, string>> = {
  'bad-input': 'Bad input',
  unauthenticated: 'Not authenticated',
  forbidden: 'Not allowed',
  'not-found': 'Not found',
  conflict: 'Conflict',
  'too-large': 'Too large',
  'too-many': 'Too many requests',
  unavailable: 'Not available',
  internal: 'Internal error',
};

/** Codes whose status of HTTP says more than that of their kind. */
const OWN_STATUSES: Readonly<Record<string, number>> = {
  // Waiting for it is of no use: a 503 would say so.
  'no-definition': 409,
  'content-type': 415,
  'host-not-served': 421,
  'verb-not-allowed': 405,
  'precondition-failed': 412,
};
/** Codes that refuse the caller, and not credentials of the platform. */
const CALLER_REFUSED: ReadonlySet<string> = new Set(['bad-token', 'code-refused']);

/** A bearer that is missing, has ended, or is none. */
export const BAD_TOKEN = 'bad-token';
/** The status if a third party, such as a cloud, refuses credentials of the platform: the caller's token is good. */
const OTHERS_REFUSED = 424;

/** The status of a code: that of its kind, except for what HTTP says more exactly. */
export function statusOfError(details: Pick<ErrorDetails, 'code' | 'blame' | 'absent'>): number {
  const kind = kindOf(details);
  const own = OWN_STATUSES[details.code];
  if (own !== undefined) return own;
  return kind === 'unauthenticated' && !CALLER_REFUSED.has(details.code) ? OTHERS_REFUSED : httpStatusOf(kind);
}

/**
 * Says an error to a caller. Of an error that is not the platform's own, the caller learns that there is one: its text may have
 * anything.
 *
 * @param request the id of the request
 */
export function describeProblem(error: unknown, request: string): Problem {
  const details = detailsOf(error, request);
  const kind = kindOf(details);
  return {
    type: `urn:provisioning:error:${details.code}`,
    title: TITLES[kind],
    status: statusOfError(details),
    detail: errorText(details),
    kind,
    request,
    ...details,
  };
}

/** What helps a program, where the hint is for a command and its worker. */
const READ_DOCUMENT = 'GET /openapi.json describes the input';

const detailsOf = (error: unknown, request: string): ErrorDetails =>
  error instanceof ProvisioningError
    ? { ...error.details, ...(error.details.hint === OTHER_VERSION && { hint: READ_DOCUMENT }) }
    : {
        code: 'unexpected',
        blame: 'bug',
        what: 'answer the request',
        why: 'an internal error',
        hint: `the log of the server has it under ${request}`,
      };

/** A response with an error. `Retry-After` and `WWW-Authenticate` follow from it. */
export function respondProblem(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(problem.status === 401 && { 'www-authenticate': 'Bearer realm="provisioning"' }),
      ...(problem.retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(problem.retryAfterMs / 1_000)) }),
      ...headers,
    },
  });
}

/** One line of a log about a request that failed. What a caller wrote is JSON text in it, and so makes no line of its own. */
export const logLine = (problem: Problem, error: unknown): string =>
  JSON.stringify({ request: problem.request, status: problem.status, code: problem.code, error: messageOf(error) });
