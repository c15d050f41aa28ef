import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';

const milliseconds = z.int().min(0);

const failure = z.strictObject({
  verb: z.string().describe('Failing call: `servers.create`, `host.step`, …'),
  name: z.string().optional().describe('Only this resource, or the step with this title'),
  times: z.int().min(1).default(1).describe('Number of failures before the call works'),
  error: z
    .enum(['weather', 'user', 'bug', 'rate-limited', 'after-effect', 'hang', 'silence', 'crash'])
    .describe(
      '`bug`: an unknown error; `after-effect`: it works, but the answer is lost; `hang`: waits until the caller gives up. `silence`: it works, but without an answer; `crash`: the calling process is killed',
    ),
  retryAfterMs: milliseconds
    .default(1_000)
    .describe('`rate-limited`: time of the next allowed call; an earlier call is rejected and counted'),
});

/** Simulated behavior of a demo account. It can be changed while the account is in use (`configureDemo`). */
export const demoSettings = z.strictObject({
  latencyMs: z
    .record(z.string(), milliseconds)
    .default({})
    .describe(
      'Latency by `verb:name`, `verb` or `*` (all others). `boot` is the time that a new server takes to start. Default: 0',
    ),
  failures: z.array(failure).default([]),
  recordCalls: z.boolean().optional().describe('Record every call, including rejected calls'),
  unhealthy: z.array(z.string()).default([]).describe('Taskservs that never become healthy: `redis`, or `web-1/redis`'),
  limits: z
    .strictObject({
      servers: z.int().min(0).optional().describe('Maximum count; further calls fail with `quota-exceeded`'),
      callsPerSecond: z
        .int()
        .min(1)
        .optional()
        .describe('Maximum rate; further calls fail with `rate-limited` and the time to wait'),
    })
    .default({}),
});

export type DemoSettings = z.infer<typeof demoSettings>;
export type DemoFailure = DemoSettings['failures'][number];

export const demoConfig = z.strictObject({
  account: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .default('default')
    .describe('Name of the account; accounts are independent of each other'),
  path: z.string().optional().describe('File of the account. Default: demo/ACCOUNT.json below PROVISIONING_HOME'),
  settings: demoSettings.optional().describe('Initial settings of a new account'),
});

export type DemoConfig = z.infer<typeof demoConfig>;

/** Returns the path of an account. */
export function pathOf({ path, account }: Pick<DemoConfig, 'path' | 'account'>, env: NodeJS.ProcessEnv = process.env): string {
  if (path) return resolve(path);
  const root = env.PROVISIONING_HOME ?? join(env.XDG_DATA_HOME ?? join(homedir(), '.local/share'), 'provisioning');
  return resolve(root, 'demo', `${account}.json`);
}
