import * as z from 'zod';
import { readLogs } from '../../application/read-logs.js';
import { stream } from '../../method.js';
import { applicationPlace, applicationResource, applicationServers } from '../../schemas/application.js';

const text = z.string();
/** A word that is sent to a host: no control characters. */
const word = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}]*$/u);

export const logsOfApplication = stream({
  name: 'applications.logs',
  summary:
    'Stream the journal of an application on all its servers, sorted by time; with `follow`, stream lines as they come until the caller leaves',
  input: z.strictObject({
    ...applicationPlace,
    servers: applicationServers,
    process: word.optional().describe('Only this process; default: all'),
    since: word.optional().describe('Start time: `30m`, `2h`, or a time that journalctl accepts'),
    lines: z.int().min(0).max(100_000).optional().describe('Number of lines per server (default: 100)'),
    follow: z.literal(true).optional().describe('Stream new lines'),
  }),
  output: z.union([
    z.strictObject({ server: text, line: text.describe('It can contain control characters') }),
    z.strictObject({ server: text, problem: text.describe('Why no more lines of this server follow, with `follow`') }),
  ]),
  permission: { action: 'application:read-logs', resource: applicationResource },
  errors: [
    'app-not-asked',
    'host-managed-by-another',
    'logs-limited',
    'ssh-key-not-allowed',
    'this-host-not-allowed',
    'unknown-app',
    'unknown-infra',
    'unknown-process',
  ],
  run: ({ engine }, wish, { signal }) => readLogs(engine, wish, signal),
});
