import { bugError, messageOf } from '../../core/errors.js';
import type { ProviderConnection } from '../../core/machine/provider.js';

/** One call to a provider, with its result. */
export interface Recorded {
  verb: string;
  asked: unknown;
  answer?: unknown;
  failure?: string;
  ms: number;
}

/** Fields whose values identify a resource of the account. */
const IDENTIFIERS = new Set(['id', 'uuid', 'address', 'privateAddress', 'key']);
/** Omitted fields. */
const SECRETS = /^(access|authorizedKey|hostKey|privateKey|signal|userData)$/;
const PATTERNS: readonly [RegExp, string][] = [
  [/-----BEGIN [\s\S]*?-----END [^-]*-----/g, '(a key)'],
  [/\b(ssh|ecdsa)-[a-z0-9-]+ [A-Za-z0-9+/=]{20,}/g, '(a key)'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '(a uuid)'],
  [/\b(?!10\.|0\.)\d{1,3}(\.\d{1,3}){3}\b/g, '(an address)'],
  [/\b[0-9a-f]{1,4}(:[0-9a-f]{0,4}){3,7}\b/gi, '(an address)'],
];

/** Records all calls of a connection. */
export function recorded(connection: ProviderConnection, note: (one: Recorded) => void): ProviderConnection {
  const wrap = (value: unknown, verb: string): unknown => {
    if (typeof value === 'function') {
      return async (...asked: unknown[]) => {
        const started = Date.now();
        try {
          const answer = await value(...asked);
          note({ verb, asked, answer, ms: Date.now() - started });
          return answer;
        } catch (error) {
          note({ verb, asked, failure: messageOf(error), ms: Date.now() - started });
          throw error;
        }
      };
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, plainVerb(name) ? one : wrap(one, verb ? `${verb}.${name}` : name)]),
    );
  };
  return wrap(connection, '') as ProviderConnection;
}

/** Reports whether a verb queries no provider. */
const plainVerb = (name: string): boolean => name === 'diff' || name === 'meter' || name === 'host';

/**
 * Returns the calls as JSON, one per line. Credentials and keys are masked or omitted, and a number replaces each id
 * and address.
 *
 * @param secrets values that must not be in the result
 * @throws bugError if the result contains one of them
 */
export function sanitised(calls: readonly Recorded[], secrets: readonly string[]): string {
  const numbers = new Map<string, string>();
  const collect = (value: unknown, name = ''): void => {
    if (typeof value === 'string' && IDENTIFIERS.has(name) && value.length > 3 && !numbers.has(value))
      numbers.set(value, `(${name} ${numbers.size + 1})`);
    if (typeof value !== 'object' || value === null || SECRETS.test(name)) return;
    for (const [key, one] of Object.entries(value)) collect(one, Array.isArray(value) ? name : key);
  };
  collect(calls);
  const known = [...numbers].sort(([a], [b]) => b.length - a.length);
  const clean = (text: string): string => {
    const without = secrets.filter(Boolean).reduce((all, secret) => all.replaceAll(secret, '(a credential)'), text);
    const numbered = known.reduce((all, [value, number]) => all.replaceAll(value, number), without);
    return PATTERNS.reduce((all, [pattern, name]) => all.replace(pattern, name), numbered);
  };
  const put = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).flatMap(([key, one]) => (SECRETS.test(key) ? [] : [[clean(key), put(one)]])));
  };
  const text = calls.map((one) => `${JSON.stringify(put(one))}\n`).join('');
  if (secrets.some((secret) => secret !== '' && text.includes(secret)))
    throw bugError({ code: 'recording-has-secret', what: 'write the recording', why: 'a credential would be in it' });
  return text;
}
