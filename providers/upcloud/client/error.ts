/**
 * - `refused`: the API said no, in one of its two forms.
 * - `unreadable`: something answered, but not the API: HTML, cut JSON, a redirect.
 * - `unexpected`: the API answered JSON of a shape that this client does not know.
 * - `network`: no answer came; whether the request had an effect is not known.
 * - `timeout`: no answer came in time; the same holds.
 */
export type FailureKind = 'refused' | 'unreadable' | 'unexpected' | 'network' | 'timeout';

/** What is wrong with one field of a request, as the API says it. */
export interface InvalidParam {
  name: string;
  reason: string;
}

export interface FailureDetails {
  kind: FailureKind;
  /** Method and path, without the query: `POST /1.3/server`. */
  request: string;
  /** The vendor's code without `ERROR_`: `SERVER_NOT_FOUND`; `HTTP_503`, `NETWORK`, `TIMEOUT`, `UNEXPECTED` where it gave none. */
  code: string;
  /** What the vendor said, or what was seen, on one line. */
  reason: string;
  /** Of the HTTP answer, where one came. */
  status?: number;
  invalidParams?: readonly InvalidParam[];
  /** By which UpCloud's support finds the request. */
  requestId?: string;
  /** How long the API asks to be left alone, in milliseconds. */
  retryAfterMs?: number;
}

/** The one error of this client. It holds nothing of a request's body and no credential. */
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

/** Whether this is the API's word that the thing does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof UpCloudError && error.kind === 'refused' && error.status === 404;
}

function messageOf({ request, status, code, reason, invalidParams = [], requestId }: FailureDetails): string {
  const answer = [status, code].filter((part) => part !== undefined).join(' ');
  const params = invalidParams.map(({ name, reason: why }) => `${name}: ${why}`).join('; ');
  return `${request}: ${answer}: ${reason}${params && ` (${params})`}${requestId ? ` [request ${requestId}]` : ''}`;
}
