import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineRecord, Transport } from '../../core/engine/engine.js';
import type { Home } from '../../home/home.js';

/** Display names of an engine's transports. */
export const TRANSPORTS: Readonly<Record<Transport, string>> = { 'mutual-tls': 'mutual TLS', 'sealed-only': 'sealed only' };

/**
 * Returns the command that shows an operation in the Web UI, or undefined if no Web UI is known. The Web UI's own
 * address shows ciphertext.
 */
export const describeWebUi = (home: Home, operation: string): string | undefined =>
  readEngineRecord(home)?.ui ? `provisioning ui ${operation}` : undefined;

/** Returns the engine that this home uses. */
export function readEngineRecord({ engine }: Home): EngineRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(engine, 'engine.json'), 'utf8')) as EngineRecord;
  } catch {
    return undefined;
  }
}

/** Returns the Web UI's path for the operations of a namespace, or for one operation. */
export const pathInWebUi = (namespace: string, operation?: string): string =>
  ['/namespaces', namespace, 'workflows', ...(operation ? [operation] : [])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
