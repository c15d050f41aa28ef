/** Writes the schemas of requests as JSON Schema, for code without zod. Run by `npm run generate`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { requests } from '../../core/schema/requests.js';

/** Returns the source of core/operation/request-schemas.ts. */
export function requestSchemasSource(): string {
  const lines = Object.entries(requests).map(([name, schema]) => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
    return `  ${name}: ${JSON.stringify(json)},`;
  });
  return [
    '// Written by scripts/generate/request-schemas.ts from core/schema/requests.ts. Do not edit; run `npm run generate`.',
    '// biome-ignore-all format: one line a schema',
    "import type { JsonSchema } from '../encoding/json-schema.js';",
    '',
    'export const REQUEST_SCHEMAS = {',
    ...lines,
    '} as const satisfies Record<string, JsonSchema>;',
    '',
  ].join('\n');
}

/** Updates the schemas of requests under `root`. The file is written only if its content changes. */
export function generateRequestSchemas(root: string): void {
  const path = join(root, 'core/operation/request-schemas.ts');
  const source = requestSchemasSource();
  if (!existsSync(path) || readFileSync(path, 'utf8') !== source) writeFileSync(path, source);
}
