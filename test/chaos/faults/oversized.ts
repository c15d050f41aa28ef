import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProvisioningError } from '../../../core/errors.js';
import { provisioning } from '../../support/command-line.js';
import { beginBeside } from '../beside.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { makeAll } from '../work.js';
import { judgeWell, prepare, WORK_MS } from './demo-work.js';
import { judgeNothingElse } from './no-worker.js';
import { COMMANDS, REQUESTS } from './too-large.js';

/** Maximum factor by which a limit is exceeded. */
const TIMES = 6;

/** Runs a command with oversized input. Reports to the stage unless it is rejected as the user's error. */
async function byCommand(stage: Stage, name: string): Promise<void> {
  const typed = COMMANDS[name]?.(stage.infra, 1 + stage.random() * TIMES);
  if (!typed) throw new Error(`no command is called ${name}`);
  const { kind = 'yaml', text, args, says } = typed;
  const path = join(stage.engine.home.root, `${randomUUID()}.${kind}`);
  await writeFile(path, text);
  const { code, stderr } = await provisioning(stage.engine, args?.(path) ?? ['apply', path, '--yes']);
  stage.demand(code === 2 && says.test(stderr), `${name} by the command line ended ${code}: ${stderr.slice(0, 300)}`);
}

/** Sends a request like a program, without reading a file. */
async function byClient(stage: Stage, name: string): Promise<void> {
  const { intent, definition } = makeAll(stage.infra).wish;
  const ask = REQUESTS[name];
  if (!definition || !ask) throw new Error(`no request is called ${name}`);
  const request = { ...stage.request({ intent }), definition };
  const code = await ask(await stage.engine.client(), request, 1 + stage.random() * TIMES).then(
    () => 'taken',
    (error: unknown) => (error instanceof ProvisioningError ? error.details.code : String(error)),
  );
  stage.demand(code === 'too-large', `${name} by the client: ${code}`);
}

export const oversized: Fault[] = [
  {
    name: 'oversized',
    about: 'definitions and requests over the limits, before or during an operation: refused, and nothing of them is submitted',
    on: 'demo',
    async round(stage) {
      const work = await prepare(stage);
      const beside = await beginBeside(stage);
      const during = stage.random() < 0.5;
      const commands = [stage.pick(Object.keys(COMMANDS)), stage.pick(Object.keys(COMMANDS))];
      const requests = stage.some(Object.keys(REQUESTS));
      stage.moment.push(during ? 'during' : 'before', ...commands, ...requests);
      if (during) await stage.submit(work.wish);
      await stage.later(WORK_MS);
      for (const name of requests) await byClient(stage, name);
      for (const name of commands) await byCommand(stage, name);
      if (!during) await stage.submit(work.wish);
      await judgeWell(stage, work);
      await judgeNothingElse(stage);
      await beside.judge();
    },
  },
];
