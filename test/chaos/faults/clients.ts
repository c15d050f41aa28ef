import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCommand } from '../../support/command-line.js';
import type { Fault } from '../fault.js';
import { judgeWell, prepare, SLOW, WORK_MS } from './demo-work.js';

export const clients: Fault[] = [
  {
    name: 'worker-replaced-under-client',
    about: 'a command follows an operation, and the worker is killed or ended and started again: it follows to the end',
    on: 'demo',
    async round(stage) {
      const work = await prepare(stage);
      await stage.account.behave({ latencyMs: SLOW });
      const { engine, infra } = stage;
      const path = join(engine.home.root, `${randomUUID()}.json`);
      if (work.file) await writeFile(path, JSON.stringify(work.file));
      const command = startCommand(engine, [...(work.wanted ? ['apply', path, '--allow-destroy'] : ['delete', infra]), '--yes']);
      const operation = await command.id();
      stage.operations.push(operation);
      await stage.later(WORK_MS);
      const end = stage.pick(['killWorker', 'termWorker'] as const);
      stage.moment.push(end);
      await engine[end]();
      stage.strike();
      await stage.restart();
      const { code, stderr } = await command.ended;
      stage.demand(code === 0, `the command ended with ${code}: ${stderr}`);
      await judgeWell(stage, work);
    },
  },
];
