import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineRecord, Transport } from '../../core/engine/engine.js';
import type { Home } from '../../home/home.js';

/** How an engine is reached, for people. */
export const TRANSPORTS: Readonly<Record<Transport, string>> = { 'mutual-tls': 'mutual TLS', 'sealed-only': 'sealed only' };

/** The command that shows an operation in the Web UI; undefined where none is known. Its own address shows ciphertext. */
export const describeWebUi = (home: Home, operation: string): string | undefined =>
  readEngineRecord(home)?.ui ? `provisioning ui ${operation}` : undefined;

/** The engine that this home uses. */
export function readEngineRecord({ engine }: Home): EngineRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(engine, 'engine.json'), 'utf8')) as EngineRecord;
  } catch {
    return undefined;
  }
}

/** Where the Web UI shows the operations of a namespace, or one of them. */
export const pathInWebUi = (namespace: string, operation?: string): string =>
  ['/namespaces', namespace, 'workflows', ...(operation ? [operation] : [])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
