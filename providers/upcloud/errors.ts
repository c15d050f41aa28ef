import { type ErrorDetails, ProvisioningError, TRANSIENT } from '../../sdk/index.js';
import { UpCloudError } from './client/index.js';
import { explainError, type Meaning } from './cloud/error-codes.js';

/**
 * Runs calls of UpCloud. Only here its errors become ours, with the vendor's code and request id in the text. An
 * aborted signal prevents any request.
 */
export async function call<T>(what: string, on: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    throw error instanceof UpCloudError ? ours(error, what, on) : error;
  }
}

/** Default pause in milliseconds. */
const PAUSE_MS = 1_000;

function ours(error: UpCloudError, what: string, on: string): ProvisioningError {
  const { kind, code, status, requestId, invalidParams, reason, request } = error;
  const meaning = meaningFor(error);
  const params = invalidParams.map((param) => `${param.name}: ${param.reason}`).join('; ');
  const said = [reason, params && `(${params})`].filter(Boolean).join(' ');
  const reference = [
    kind === 'refused' ? code : undefined,
    request,
    status && `HTTP ${status}`,
    requestId && `request ${requestId}`,
  ];
  const details: ErrorDetails = {
    code: meaning.code,
    blame: meaning.blame,
    what,
    on,
    why: `UpCloud ${kind === 'network' || kind === 'timeout' ? 'cannot be reached' : 'answered'}: ${said} [${reference.filter(Boolean).join(', ')}]`,
    hint: meaning.hint,
  };
  const retryAfterMs = error.retryAfterMs ?? (meaning.code === 'rate-limited' ? PAUSE_MS : undefined);
  if (meaning.blame === TRANSIENT && retryAfterMs !== undefined) details.retryAfterMs = retryAfterMs;
  return new ProvisioningError(details, { cause: error });
}

function meaningFor({ kind, code, status }: UpCloudError): Meaning {
  if (kind === 'refused') return explainError(code, status);
  if (kind === 'unexpected')
    return { code: 'upcloud-answer', blame: 'bug', hint: 'the answer of UpCloud does not match this version' };
  if (kind === 'unreadable') {
    if (status === 401 || status === 403 || status === 429 || (status ?? 0) >= 500) return explainError(code, status);
    const hint = 'check whether UPCLOUD_API_URL or a proxy leads elsewhere';
    return { code: 'upcloud-unreachable', blame: TRANSIENT, hint };
  }
  return { code: 'upcloud-unreachable', blame: TRANSIENT, hint: 'check whether the network allows requests to the UpCloud API' };
}
