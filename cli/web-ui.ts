import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../config/home.js';
import type { EngineRecord } from '../core/engine.js';

/** The address of an operation in the Web UI of the engine this home uses; undefined where none is known. */
export function webUiOf({ engine }: Home, operation: string): string | undefined {
  try {
    const { ui, namespace } = JSON.parse(readFileSync(join(engine, 'engine.json'), 'utf8')) as EngineRecord;
    if (!ui) return undefined;
    return `${ui.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(operation)}`;
  } catch {
    return undefined;
  }
}
