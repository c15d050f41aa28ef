import { inputError } from '../errors.js';
import { LIMITS, sizeText } from '../limits.js';

/** Size of a value as JSON, in bytes. Counting stops beyond the limit. */
export interface Weight {
  bytes: number;
  /** Size of the texts that exceed `LIMITS.longText` bytes. */
  longTexts: number;
}

/** Bytes of a text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // A pair of surrogates is four bytes.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/**
 * Weighs a JSON value, each thing as often as JSON would write it.
 *
 * @param most bytes after which it is given up, so that neither a cycle nor what is there many times takes long
 */
export function weighValue(value: unknown, most: number): Weight {
  const weight = { bytes: 0, longTexts: 0 };
  const open: unknown[] = [value];
  while (open.length > 0 && weight.bytes <= most) {
    const item = open.pop();
    if (typeof item === 'string') {
      const bytes = bytesOf(item);
      weight.bytes += bytes + 3;
      if (bytes > LIMITS.longText) weight.longTexts += bytes;
    } else if (Array.isArray(item)) {
      weight.bytes += 2 + item.length;
      // Items beyond the limit need no counting.
      for (let index = 0; index < item.length && index <= most; index++) open.push(item[index]);
    } else if (typeof item === 'object' && item !== null) {
      weight.bytes += 2;
      for (const [key, inside] of Object.entries(item)) {
        if (inside === undefined) continue;
        weight.bytes += bytesOf(key) + 4;
        open.push(inside);
      }
    } else weight.bytes += 4;
  }
  return weight;
}

/**
 * Returns the excess of a value, `it is 5 MiB as JSON, at most 3 MiB are taken`. Undefined if it is within the limits.
 */
export function findExcess(value: unknown, most: number, longTexts: number = LIMITS.longTexts): string | undefined {
  const weight = weighValue(value, most);
  if (weight.bytes > most) return `it is more than ${sizeText(most)} as JSON, the most that is taken`;
  if (weight.longTexts <= longTexts) return undefined;
  return `${sizeText(weight.longTexts)} of it are long texts, counted once for each server; at most ${sizeText(longTexts)} are allowed`;
}

/** Suggestion for a value that is too large. */
export const SMALLER = 'fewer servers, or shorter texts: put large content where hosts fetch it';

/**
 * Checks a request before it goes to Temporal, where one that is too large could be neither asked nor canceled.
 *
 * @throws an input error `too-large` with figure and limit
 */
export function checkRequest(request: unknown, what: string, on: string, most: number = LIMITS.request): void {
  // The definitions of a batch are checked one by one.
  const why = findExcess(request, most, most > LIMITS.request ? most : LIMITS.longTexts);
  if (why) throw inputError({ code: 'too-large', what, on, why, hint: SMALLER });
}

/**
 * Checks a definition that a request carries: whoever asks may not have read it from a file.
 *
 * @throws an input error `too-large` with figure and limit
 */
export function checkDefinition(definition: unknown, what: string, on: string): void {
  const { servers } = (definition ?? {}) as { servers?: unknown };
  const count = Array.isArray(servers) ? servers.length : 0;
  const why =
    count > LIMITS.servers
      ? `the definition has ${count} servers, at most ${LIMITS.servers} are allowed`
      : findExcess(definition, LIMITS.definition);
  if (why) throw inputError({ code: 'too-large', what, on, why, hint: SMALLER });
}

/**
 * Checks what a batch carries: each operation as the request that it becomes.
 *
 * @throws an input error `too-large` with figure and limit
 */
export function checkBatch(
  { operations, definitions }: { operations?: unknown; definitions?: unknown },
  what: string,
  on: string,
): void {
  const rows = Array.isArray(operations) ? operations : [];
  if (rows.length > LIMITS.operations) {
    const why = `it has ${rows.length} operations, at most ${LIMITS.operations} are allowed`;
    throw inputError({ code: 'too-large', what, on, why, hint: 'divide them among batches' });
  }
  for (const [key, definition] of Object.entries(definitions ?? {})) checkDefinition(definition, what, `${on}, definition ${key}`);
  for (const [index, row] of rows.entries()) {
    // It becomes a request with its definition. Its dependencies stay in the record of the batch.
    const { needs, after, ...own } = (row ?? {}) as { needs?: unknown; after?: unknown };
    checkRequest(own, what, `${on}, operation ${index + 1}`, LIMITS.request - LIMITS.definition);
  }
}
