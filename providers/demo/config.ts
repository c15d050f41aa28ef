import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';

const milliseconds = z.int().min(0);

const failure = z.strictObject({
  verb: z.string().describe('What fails: `servers.create`, `host.step`, …'),
  name: z.string().optional().describe('Only for this resource, or for the step of this title'),
  times: z.int().min(1).default(1).describe('How often, before it works'),
  error: z
    .enum(['weather', 'user', 'bug', 'rate-limited', 'after-effect', 'hang', 'silence', 'crash'])
    .describe(
      '`bug`: an error that no provider has words for; `after-effect`: it happens, but the answer is lost; `hang`: no answer until the caller gives up; `silence`: it happens, and no answer until the caller gives up; `crash`: the process that calls is killed',
    ),
  retryAfterMs: milliseconds.default(1_000).describe('`rate-limited`: when to call again; an earlier call is refused and counted'),
});

/** What a demo account does to its callers. Can be changed while it is in use (`configureDemo`). */
export const demoSettings = z.strictObject({
  latencyMs: z
    .record(z.string(), milliseconds)
    .default({})
    .describe('By `verb:name`, `verb` or `*` (all others). `boot` is how long a new server starts. Without an entry: 0'),
  failures: z.array(failure).default([]),
  recordCalls: z.boolean().optional().describe('Keep a record of every call, also of those refused'),
  unhealthy: z.array(z.string()).default([]).describe('Taskservs that never become healthy: `redis`, or `web-1/redis`'),
  limits: z
    .strictObject({
      servers: z.int().min(0).optional().describe('More are refused: `quota-exceeded`'),
      callsPerSecond: z.int().min(1).optional().describe('More are put off: `rate-limited`, with the time to wait'),
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
    .describe('Accounts share nothing'),
  path: z.string().optional().describe('File that holds the account. Default: demo/ACCOUNT.json below PROVISIONING_HOME'),
  settings: demoSettings.optional().describe('What a new account begins with'),
});

export type DemoConfig = z.infer<typeof demoConfig>;

/** Where an account is kept. */
export function pathOf({ path, account }: Pick<DemoConfig, 'path' | 'account'>, env: NodeJS.ProcessEnv = process.env): string {
  if (path) return resolve(path);
  const root = env.PROVISIONING_HOME ?? join(env.XDG_DATA_HOME ?? join(homedir(), '.local/share'), 'provisioning');
  return resolve(root, 'demo', `${account}.json`);
}
