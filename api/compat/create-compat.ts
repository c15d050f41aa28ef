import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Dispatcher } from '../../app/dispatcher.js';
import type { LogEntry, OperationSummary } from '../../app/schemas/operation.js';
import { inputError, unreachableError } from '../../core/errors.js';
import { testWorkspaceOf } from '../../core/names.js';
import { checkOrigin } from '../request/check-origin.js';
import { readBody } from '../request/read-body.js';
import { describeProblem, logLine } from '../response/problem.js';
import { SECURITY_HEADERS } from '../response/security-headers.js';
import type { CommandLine, RunningCommand } from './command-line.js';
import {
  createCluster,
  createEnvironment,
  createServers,
  createTaskserv,
  runEnvironment,
  taskservsIn,
  writeEnvironment,
  writeWorkflow,
} from './requests.js';
import { createTask } from './task.js';

export interface CompatOptions {
  /** Calls methods as the account of `--compat-as`. */
  dispatcher: Dispatcher;
  /** The account's workspace. */
  workspace: string;
  /** Runs a command line as the account. */
  run(line: CommandLine): RunningCommand;
  /** The real path of a definition below `--compat-root`. @throws inputError `outside-root` */
  resolve(path: string): Promise<string>;
  log?(line: string): void;
}

/** Bytes of a body. */
const MOST_BODY = 1024 * 1024;
/** How long a new environment is waited for, in milliseconds. */
const BEGIN_MS = 60_000;
const LOOK_MS = 250;
const HOST_MS = 60_000;
const MOST_TASKS = 50;

interface Environment {
  infra: string;
  type: string;
  about: string;
  created: string;
  expires: string;
  ending?: string;
}

/**
 * The REST API of the orchestrator that this platform follows, for programs that were written for it. Everything is done as one
 * service account, by methods or by commands of Provisioning. Answers are `{ success, data, error }`.
 */
export function createCompat({ dispatcher, workspace, run, resolve, log = () => {} }: CompatOptions) {
  const tests = testWorkspaceOf(workspace);
  const app = new Hono();
  const call = <T>(name: string, input: unknown) => dispatcher.call(name, input) as Promise<T>;

  async function read<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
    const { success, data, error } = schema.safeParse(await readBody(c.req.raw.body, c.req.raw.headers, MOST_BODY));
    if (success) return data;
    const [issue] = error.issues;
    const why = [issue?.path.map(String).join('.'), issue?.message].filter(Boolean).join(': ');
    throw inputError({ code: 'bad-request', what: 'read the request', why });
  }

  const workflow =
    (kind: 'server' | 'taskserv' | 'cluster', schema: typeof createServers | typeof createTaskserv | typeof createCluster) =>
    async (c: Context) => {
      const asked = await read<Parameters<typeof writeWorkflow>[1]>(c, schema);
      if ('taskserv' in asked) await checkTaskservs([asked.taskserv]);
      const file = asked.settings === undefined ? undefined : await resolve(asked.settings);
      const { operation = null } = await run(writeWorkflow(kind, asked, file)).ended;
      return succeed(c, operation);
    };

  /** @throws inputError `unknown-taskserv` */
  async function checkTaskservs(names: readonly string[]): Promise<void> {
    const known = new Set<string>();
    for (let after: string | undefined; ; ) {
      const page = await call<{ items: { name: string }[]; next?: string }>('taskservs.list', { ...(after && { after }) });
      for (const { name } of page.items) known.add(name);
      after = page.next;
      if (after === undefined) break;
    }
    const unknown = names.find((one) => !known.has(one));
    if (unknown === undefined) return;
    const why = 'the platform has no taskserv with this name';
    throw inputError({ code: 'unknown-taskserv', what: 'find the taskserv', on: unknown, why, hint: 'GET /v1/taskservs' });
  }

  async function listEnvironments(): Promise<Environment[]> {
    const found: Environment[] = [];
    for (let after: string | undefined; ; ) {
      const page = await call<{ items: Environment[]; next?: string }>('testEnvironments.list', {
        workspace,
        ...(after && { after }),
      });
      found.push(...page.items);
      after = page.next;
      if (after === undefined) return found;
    }
  }

  /** @throws inputError `unknown-environment` */
  async function findEnvironment(id: string): Promise<Environment> {
    const found = (await listEnvironments()).find(({ infra }) => infra === id);
    if (found) return found;
    const why = 'no test environment has this name';
    throw inputError({ code: 'unknown-environment', what: 'find the test environment', on: id.slice(0, 100), why });
  }

  const operationsOf = async (id: string) =>
    (await call<{ items: OperationSummary[] }>('operations.list', { workspace: tests, infra: id, limit: 20 })).items;

  app.use('*', async (c, next) => {
    // Pages of a browser reach loopback as well.
    checkOrigin(c.req.raw.headers, 'loopback');
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  });
  app.get('/health', (c) => succeed(c, 'healthy'));
  app.get('/tasks', async (c) => {
    const { items } = await call<{ items: OperationSummary[] }>('operations.list', { workspace, limit: MOST_TASKS });
    return succeed(
      c,
      items.map((one) => createTask(one)),
    );
  });
  app.get('/tasks/:id', async (c) => {
    const operation = c.req.param('id');
    const progress = await call<{
      kind: OperationSummary['kind'];
      status: OperationSummary['status'];
      started: string;
      ended?: string;
      error?: { step: string; on: string; why: string };
    }>('operations.progress', { operation });
    const { error } = progress;
    return succeed(c, createTask({ ...progress, operation }, error && `${error.step} failed on ${error.on}: ${error.why}`));
  });
  app.post('/workflows/servers/create', workflow('server', createServers));
  app.post('/workflows/taskserv/create', workflow('taskserv', createTaskserv));
  app.post('/workflows/cluster/create', workflow('cluster', createCluster));

  app.post('/test/environments/create', async (c) => {
    const asked = await read(c, createEnvironment);
    await checkTaskservs(taskservsIn(asked));
    const { id, ...line } = writeEnvironment(asked);
    const { ended } = run(line);
    // It continues until the environment is ready; errors before the environment exists are the answer.
    const failed = ended.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    for (const until = Date.now() + BEGIN_MS; Date.now() < until; ) {
      const early = await Promise.race([failed, sleep(LOOK_MS, 'later' as const)]);
      if (typeof early === 'object') throw early.error;
      const found = (await listEnvironments()).find(({ infra }) => infra === id);
      if (found || early === undefined) return succeed(c, { id, status: found ? stateOf(found) : 'Completed' });
    }
    throw unreachableError({ code: 'timed-out', what: 'create the test environment', on: id, why: 'it did not begin in time' });
  });
  app.get('/test/environments', async (c) => succeed(c, (await listEnvironments()).map(describe)));
  app.get('/test/environments/:id', async (c) => {
    const found = await findEnvironment(c.req.param('id'));
    const tasks = (await operationsOf(found.infra)).map((one) => createTask(one));
    return succeed(c, { ...describe(found), tasks });
  });
  app.post('/test/environments/:id/run', async (c) => {
    const { infra } = await findEnvironment(c.req.param('id'));
    const { servers } = await read(c, runEnvironment);
    const asked = { workspace, infra, withinMs: HOST_MS, ...(servers && { servers }) };
    const { passed, tests: results } = await call<{ passed: boolean; tests: unknown[] }>('testEnvironments.run', asked);
    return succeed(c, { passed, tests: results });
  });
  app.delete('/test/environments/:id', async (c) => {
    const { infra } = await findEnvironment(c.req.param('id'));
    await call('testEnvironments.remove', { workspace, infra, why: 'its removal was requested' });
    return succeed(c, infra);
  });
  app.get('/test/environments/:id/logs', async (c) => {
    const { infra } = await findEnvironment(c.req.param('id'));
    const logs = await Promise.all(
      (await operationsOf(infra)).reverse().map(({ operation }) => call<LogEntry[]>('operations.logs', { operation })),
    );
    return succeed(c, logs.flat());
  });
  app.notFound((c) =>
    answerError(c, inputError({ code: 'unknown-call', what: 'answer the request', why: 'there is no such path' })),
  );

  function answerError(c: Context, error: unknown): Response {
    const request = randomUUID();
    const problem = describeProblem(error, request);
    if (problem.kind === 'internal') log(logLine(problem, error));
    const { status, detail, code, hint } = problem;
    return c.json({ success: false, data: null, error: detail, code, ...(hint !== undefined && { hint }) }, status as 400);
  }

  app.onError((error, c) => answerError(c, error));
  return { fetch: (request: Request) => app.fetch(request), drain() {}, endStreams() {} };
}

const succeed = (c: Context, data: unknown): Response => c.json({ success: true, data, error: null });

const stateOf = ({ ending }: Environment): string => (ending === undefined ? 'Running' : 'Cancelled');

const describe = (one: Environment) => ({
  ...{ id: one.infra, type: one.type, about: one.about, status: stateOf(one) },
  ...{ created_at: one.created, expires_at: one.expires },
});
