import { OTHER_VERSION } from '../../app/pipeline.js';
import { type ErrorKind, httpStatusOf, kindOf } from '../../core/error-kinds.js';
import { type ErrorDetails, errorText, messageOf, ProvisioningError } from '../../core/errors.js';

/**
 * An error in the format of RFC 9457, with the fields of a ProvisioningError, from which a client restores the error.
 */
export interface Problem extends ErrorDetails {
  type: string;
  /** The kind of the error, in words. */
  title: string;
  status: number;
  /** One line: the failed action, its object, and the reason. */
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

/** Codes whose HTTP status is more specific than the status of their kind. */
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

/** Code of a missing, expired or invalid token. */
export const BAD_TOKEN = 'bad-token';
/** The status if a third party, such as a cloud, refuses credentials of the platform: the caller's token is valid. */
const OTHERS_REFUSED = 424;

/** Returns the status of a code: the status of its kind, unless HTTP has a more specific one. */
export function statusOfError(details: Pick<ErrorDetails, 'code' | 'blame' | 'absent'>): number {
  const kind = kindOf(details);
  const own = OWN_STATUSES[details.code];
  if (own !== undefined) return own;
  return kind === 'unauthenticated' && !CALLER_REFUSED.has(details.code) ? OTHERS_REFUSED : httpStatusOf(kind);
}

/**
 * Converts an error to a problem. For an error that is not the platform's own, the caller learns only that it
 * happened, since its message may contain anything.
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

/** Hint for a program, instead of a hint about a command and its worker. */
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

/**
 * Returns a log line about a failed request. Texts of the caller are escaped as JSON, so that they cannot add lines.
 */
export const logLine = (problem: Problem, error: unknown): string =>
  JSON.stringify({ request: problem.request, status: problem.status, code: problem.code, error: messageOf(error) });
