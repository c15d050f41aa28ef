import { type FailureDetails, type InvalidParam, UpCloudError } from './error.js';

/** Answer as received. */
export interface RawAnswer {
  request: string;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Parses the JSON of a successful answer; undefined if it is empty. Throws `refused` for a refusal of the API,
 * `unreadable` for an answer that is not from the API.
 */
export function parseJson(answer: RawAnswer): unknown {
  const { status, text } = answer;
  const json = parsed(text);
  if (status >= 400) throw refusal(answer, json);
  if (status >= 300) throw new UpCloudError({ ...unreadable(answer), reason: 'answered with a redirect' });
  if (text.trim() === '') return undefined;
  if (json === undefined) throw new UpCloudError(unreadable(answer));
  return json;
}

function refusal(answer: RawAnswer, json: unknown): UpCloudError {
  const said = isRecord(json) ? (classic(json) ?? problem(json)) : undefined;
  if (!said) return new UpCloudError(unreadable(answer));
  return new UpCloudError({ ...common(answer), kind: 'refused', ...said, requestId: said.requestId ?? common(answer).requestId });
}

type Said = Pick<FailureDetails, 'code' | 'reason' | 'invalidParams' | 'requestId'>;

/** Reads `{"error":{"error_code","error_message"}}`. */
function classic(json: Record<string, unknown>): Said | undefined {
  const { error } = json;
  if (!isRecord(error) || typeof error.error_code !== 'string') return undefined;
  return { code: error.error_code, reason: oneLine(String(error.error_message ?? '')) };
}

/** Reads `application/problem+json`, whose code is the fragment of its type. */
function problem(json: Record<string, unknown>): Said | undefined {
  const { type, title, correlation_id, invalid_params } = json;
  if (typeof type !== 'string' || typeof title !== 'string') return undefined;
  return {
    code: (type.split('#')[1] ?? type).replace(/^ERROR_/, ''),
    reason: oneLine(title),
    invalidParams: Array.isArray(invalid_params) ? invalid_params.filter(isRecord).map(param) : [],
    requestId: typeof correlation_id === 'string' ? correlation_id : undefined,
  };
}

const param = ({ name, reason }: Record<string, unknown>): InvalidParam => ({
  name: oneLine(String(name ?? '')),
  reason: oneLine(String(reason ?? '')),
});

function common({ request, status, headers }: RawAnswer) {
  const requestId = REQUEST_IDS.map((name) => headers.get(name)).find((id) => id !== null) ?? undefined;
  return { request, status, code: `HTTP_${status}`, requestId, retryAfterMs: retryAfterMs(headers.get('retry-after')) };
}

const REQUEST_IDS = ['x-request-id', 'x-correlation-id', 'request-id', 'correlation-id'];

function unreadable(answer: RawAnswer): FailureDetails {
  return { ...common(answer), kind: 'unreadable', reason: whatCame(answer) };
}

function whatCame({ headers, text }: RawAnswer): string {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (text.trim() === '') return 'answered with nothing';
  if (type.includes('html') || /^\s*</.test(text)) return 'answered with HTML instead of JSON';
  if (type.includes('json'))
    return parsed(text) === undefined ? 'answered with JSON that is cut off or broken' : 'answered with JSON of another API';
  return `answered with ${type || 'something'} instead of JSON`;
}

/** Returns the milliseconds from now for seconds or a date; undefined without a value. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1_000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
