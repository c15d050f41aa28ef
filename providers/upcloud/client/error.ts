/**
 * Kinds of failures:
 * - `refused`: the API refused, in one of its two forms.
 * - `unreadable`: the answer is not from the API: HTML, truncated JSON, a redirect.
 * - `unexpected`: the API answered JSON in a form that this client does not know.
 * - `network`: no answer; the effect of the request is unknown.
 * - `timeout`: no answer in time; the effect of the request is unknown.
 */
export type FailureKind = 'refused' | 'unreadable' | 'unexpected' | 'network' | 'timeout';

/** Fault of one request field, in the API's words. */
export interface InvalidParam {
  name: string;
  reason: string;
}

export interface FailureDetails {
  kind: FailureKind;
  /** Method and path, without the query: `POST /1.3/server`. */
  request: string;
  /** Vendor's code without `ERROR_`: `SERVER_NOT_FOUND`; otherwise `HTTP_503`, `NETWORK`, `TIMEOUT` or `UNEXPECTED`. */
  code: string;
  /** Vendor's message or the observed failure, in one line. */
  reason: string;
  /** Status of the HTTP answer, if there was one. */
  status?: number;
  invalidParams?: readonly InvalidParam[];
  /** Id with which UpCloud's support finds the request. */
  requestId?: string;
  /** Pause that the API requests, in milliseconds. */
  retryAfterMs?: number;
}

/** The only error of this client. It contains no request bodies and no credentials. */
export class UpCloudError extends Error {
  override readonly name = 'UpCloudError';
  readonly kind: FailureKind;
  readonly request: string;
  readonly code: string;
  readonly reason: string;
  readonly status: number | undefined;
  readonly invalidParams: readonly InvalidParam[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(messageOf(details), options);
    this.kind = details.kind;
    this.request = details.request;
    this.code = details.code;
    this.reason = details.reason;
    this.status = details.status;
    this.invalidParams = details.invalidParams ?? [];
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Reports whether the API answered that the resource does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof UpCloudError && error.kind === 'refused' && error.status === 404;
}

function messageOf({ request, status, code, reason, invalidParams = [], requestId }: FailureDetails): string {
  const answer = [status, code].filter((part) => part !== undefined).join(' ');
  const params = invalidParams.map(({ name, reason: why }) => `${name}: ${why}`).join('; ');
  return `${request}: ${answer}: ${reason}${params && ` (${params})`}${requestId ? ` [request ${requestId}]` : ''}`;
}
