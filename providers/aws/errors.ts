import { bugError, inputError, messageOf, ProvisioningError, TRANSIENT, unreachableError } from '../../sdk/index.js';
import { MEANINGS, type Meaning } from './ec2/error-codes.js';

/** Error of the SDK: the service's answer with its code as name, or a failure of the connection. */
interface SdkFailure extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number; requestId?: string };
  $response?: { statusCode?: number; headers?: Record<string, string> };
  $fault?: 'client' | 'server';
}

/** Returns AWS's own code from an error of this provider, if AWS answered. */
export function vendorCode(error: unknown): string | undefined {
  const cause = error instanceof ProvisioningError ? error.cause : error;
  return (cause as SdkFailure | undefined)?.$fault ? (cause as SdkFailure).name : undefined;
}

/** Returns undefined if the call fails with one of these AWS codes. */
export async function unless<T>(codes: readonly string[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codes.includes(vendorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Codes that the SDK reports as timeouts too. */
const CUT: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Converts an error of the SDK to ours. The text keeps AWS's code and the request's id. Aborts and our own errors pass
 * unchanged.
 */
export function translate(what: string, on: string, error: unknown, limitS: number): unknown {
  if (error instanceof ProvisioningError || !(error instanceof Error)) return error;
  const failure = error as SdkFailure;
  const parts = { what, on };
  const options = { cause: error };
  const status = failure.$response?.statusCode ?? failure.$metadata?.httpStatusCode;
  if (CUT.has(failure.code ?? '')) {
    return unreachableError({ ...parts, code: 'aws-unreachable', why: `the connection was cut: ${messageOf(error)}` }, options);
  }
  if (failure.name === 'TimeoutError') {
    return unreachableError({ ...parts, code: 'aws-unreachable', why: `AWS did not answer within ${limitS} s` }, options);
  }
  if (failure.name === 'AbortError' || failure.name === 'CancelledFailure') return error;
  if (isAnswer(failure)) return answered(parts, failure, options);
  if (/Credentials|Token(Provider)?Error|SSO/.test(failure.name)) {
    const hint =
      'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or keep them: `provisioning secret set aws/default/access-key-id`';
    return inputError({ ...parts, code: 'no-credentials', why: messageOf(error), hint }, options);
  }
  if (status !== undefined) {
    const why = `AWS answered with HTTP ${status} and an unknown format, perhaps from a proxy`;
    const retryAfterMs = pauseOf(failure);
    return unreachableError({ ...parts, code: 'aws-answer', why, ...(retryAfterMs ? { retryAfterMs } : {}) }, options);
  }
  if (failure.code || /socket|network|ECONN|ENOTFOUND|EAI_AGAIN|hang up/i.test(failure.message)) {
    return unreachableError({ ...parts, code: 'aws-unreachable', why: messageOf(error) }, options);
  }
  return error;
}

/** Reports whether AWS itself answered: for an answer without a code, the SDK makes up its own. */
const isAnswer = ({ $fault, name, $metadata }: SdkFailure): boolean =>
  $fault !== undefined &&
  !/^(Unknown|UnknownError|Error|SyntaxError|[A-Z]\w*ServiceException)$/.test(name) &&
  $metadata !== undefined;

function answered(parts: { what: string; on: string }, failure: SdkFailure, options: ErrorOptions): ProvisioningError {
  const { httpStatusCode = 0, requestId } = failure.$metadata ?? {};
  const meaning = meaningOf(failure.name, httpStatusCode);
  const retryAfterMs = pauseOf(failure) ?? meaning.pauseMs;
  const details = {
    ...parts,
    code: meaning.code,
    why: `${messageOf(failure)} (${failure.name}${requestId ? `, request ${requestId}` : ''})`,
    ...(meaning.hint ? { hint: meaning.hint } : {}),
  };
  if (meaning.blame === TRANSIENT) return unreachableError({ ...details, ...(retryAfterMs ? { retryAfterMs } : {}) }, options);
  return meaning.blame === 'user' ? inputError(details, options) : bugError(details, options);
}

/** Returns the meaning of a code. For an unknown code, a server failure is transient, and a refusal is not. */
function meaningOf(code: string, status: number): Meaning {
  const known = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  if (known) return known;
  if (status === 429) return { code: 'rate-limited', blame: TRANSIENT, pauseMs: 2_000 };
  if (status >= 500 || status === 0) return { code: 'aws-failed', blame: TRANSIENT };
  if (/Limit(Exceeded)?$|LimitExceeded/.test(code)) return { code: 'quota-exceeded', blame: 'user' };
  if (/Throttl/.test(code)) return { code: 'rate-limited', blame: TRANSIENT, pauseMs: 2_000 };
  return { code: 'aws-refused', blame: 'user' };
}

/** Returns the milliseconds of `Retry-After`, which is in seconds or a date. */
function pauseOf({ $response }: SdkFailure): number | undefined {
  const headers = Object.entries($response?.headers ?? {});
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  if (value === undefined) return undefined;
  const pause = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(pause) && pause > 0 ? Math.ceil(pause) : undefined;
}
