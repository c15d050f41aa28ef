import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { AnyTaskserv } from '../index.js';

export const readReadme = (folder: string): string => {
  const path = join(folder, 'README.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

/** Returns keys of the configuration that have no description in the schema, or that the README does not mention. */
export function listUndescribed(taskserv: AnyTaskserv, readme: string): string[] {
  const { properties = {} } = z.toJSONSchema(taskserv.config, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).flatMap(([key, schema]) => [
    ...(typeof schema === 'object' && schema.description ? [] : [`${key} has no description`]),
    ...(readme.includes(`\`${key}\``) ? [] : [`the README does not mention \`${key}\``]),
  ]);
}

/** Returns the faults of the first example definition in the README, which must show only this taskserv. */
export function faultsOfExample({ name, config }: AnyTaskserv, readme: string): string[] {
  const [, example] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
  if (example === undefined) return ['the README has no example in YAML'];
  const refer = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && ('secret' in value || 'generate' in value) ? { $secret: 'example' } : value;
  const written = JSON.parse(JSON.stringify(parse(example)), refer) as { taskservs?: { name: string; config: unknown }[] } | null;
  const entries = written?.taskservs ?? [];
  const others = entries.filter((entry) => entry.name !== name).map((entry) => `the example has ${entry.name}`);
  const own = entries.find((entry) => entry.name === name);
  if (!own) return [...others, `the example does not have ${name}`];
  const { error } = config.safeParse(own.config ?? {});
  return [...others, ...(error ? [`the configuration of the example is refused: ${z.prettifyError(error)}`] : [])];
}
