import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Step } from '../sdk/index.js';
import type { Case } from '../sdk/testing/case.js';

/** The checks in all cases that leave the reason to one program, each once, by taskserv. A longer script says it itself. */
const checks = new Map(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    if (!/^[^/]+\/cases\/[^/]+\.json$/.test(path)) return [];
    const { steps } = JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8')) as Case & { steps: Step[] };
    return steps.flatMap((step) =>
      'run' in step && /^Check /.test(step.title) && !step.run.includes('\n')
        ? [[`${dirname(dirname(path))}: ${step.run}`, step.run] as const]
        : [],
    );
  }),
);

/** Options and redirections that suppress a program's reason. */
const QUIET = /\s(-[a-z]?q|--quiet|--silent)\b|2>\s*\/dev\/null|&>\s*\/dev\/null|>\s*\/dev\/null 2>&1/;
/** `nginx -q` leaves out what is no error. The others answer a question of a script, and have no reason to print. */
const HEARD = /\bnginx -t -q\b|\b(e?grep|systemctl (is-\w+|list-unit-files)|mountpoint) (-[a-zA-Z]+ )*-?\w*q\w*\b/g;

it('the check of a configuration prints why it failed', () => {
  expect(checks.size).toBeGreaterThan(20);
  const quiet = [...checks].filter(([, run]) => QUIET.test(run.replace(HEARD, '')));
  expect(quiet.map(([name]) => name)).toEqual([]);
});
