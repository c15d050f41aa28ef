import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyTaskserv } from '../index.js';
import { type Case, updateCase } from './case.js';

/** Reads the cases of a taskserv's folder by file name, sorted. A new case may lack its steps. */
export function readCases(folder: string): [file: string, given: Case][] {
  const cases = join(folder, 'cases');
  const files = existsSync(cases) ? readdirSync(cases) : [];
  return files
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const given = JSON.parse(readFileSync(join(cases, file), 'utf8')) as Case;
      return [file, { ...given, steps: given.steps ?? [] }];
    });
}

/**
 * Rewrites the expected steps of the cases in which the taskserv now decides otherwise. Review the difference before
 * you keep it.
 *
 * @returns the written files
 */
export function updateCases(taskserv: AnyTaskserv, folder: string): string[] {
  return readCases(folder).flatMap(([file, given]) => {
    const path = join(folder, 'cases', file);
    const now = JSON.stringify(updateCase(taskserv, given));
    if (now === JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))) return [];
    writeFileSync(path, `${JSON.stringify(JSON.parse(now), null, 2)}\n`);
    return [file];
  });
}
