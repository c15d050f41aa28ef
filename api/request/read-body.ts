import { inputError, ProvisioningError } from '../../core/errors.js';
import { LIMITS, sizeText } from '../../core/limits.js';

/** Maximum size of a body in bytes: the largest request, a batch with its definitions, and its JSON syntax. */
const MOST_BYTES = LIMITS.batch + 1024 * 1024;
/** Lists and objects inside each other. */
const MOST_DEPTH = 128;

type Read = (body: ReadableStream<Uint8Array> | null, headers: Headers, most?: number) => Promise<Record<string, unknown>>;

/**
 * Reads the JSON object of a body. A request without a body is an empty object.
 *
 * @param most maximum number of bytes; smaller for unknown callers
 * @throws inputError `content-type`, `too-large`, `bad-request`
 */
export const readBody: Read = async (body, headers, most = MOST_BYTES) => {
  if (body === null || headers.get('content-length') === '0') return {};
  const bytes = await readBytes(body, headers.get('content-length'), most);
  if (bytes.length === 0) return {};
  checkType(headers);
  checkDepth(bytes);
  return parseObject(bytes);
};

/** Refuses a body if the method reads none. @throws inputError `bad-request` */
export function refuseBody(headers: Headers): void {
  const length = headers.get('content-length');
  if ((length === null || length === '0') && headers.get('transfer-encoding') === null) return;
  throw unreadable('this verb takes no body: parameters stand in the query');
}

function checkType(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  const encoding = headers.get('content-encoding')?.toLowerCase();
  const isPlain = encoding === undefined || encoding === 'identity';
  if (type === 'application/json' && (charset === undefined || /^"?utf-8"?$/.test(charset)) && isPlain) return;
  throw inputError({
    code: 'content-type',
    what: 'read the request',
    why: isPlain ? 'its body is not declared as JSON in UTF-8' : 'its body is compressed',
    hint: 'send application/json, without a content encoding',
  });
}

async function readBytes(body: ReadableStream<Uint8Array>, length: string | null, most: number): Promise<Buffer> {
  if (Number(length) > most) throw tooLarge(most);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw unreadable('it ended before its body was complete');
    });
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > most) {
      await reader.cancel().catch(() => {});
      throw tooLarge(most);
    }
    chunks.push(value);
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = Buffer.from('"\\[{]}') as unknown as number[];

/** Before it is parsed: recursive readers, and schemas, would run out of stack. */
function checkDepth(bytes: Buffer): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      if (depth > MOST_DEPTH) throw unreadable(`it has more than ${MOST_DEPTH} lists and objects inside each other`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // A key of this name would become the prototype of whatever it is copied into.
    value = JSON.parse(text, (key, inside) => {
      if (key === '__proto__') throw unreadable('it has a key "__proto__"');
      return inside;
    });
  } catch (error) {
    if (error instanceof ProvisioningError) throw error;
    throw unreadable('it is not JSON in UTF-8');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw unreadable('it is not a JSON object');
}

const unreadable = (why: string) => inputError({ code: 'bad-request', what: 'read the body of the request', why });

const tooLarge = (most: number) =>
  inputError({
    code: 'too-large',
    what: 'read the body of the request',
    why: `it has more than ${sizeText(most)}, the most that is taken`,
  });
