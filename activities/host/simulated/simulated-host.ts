import { cancellationSignal } from '@temporalio/activity';
import { fingerprint } from '../../../core/encoding/hash.js';
import { inputError } from '../../../core/errors.js';
import { absentValues } from '../../../core/host/facts.js';
import type { Answer, Question } from '../../../core/host/question.js';
import type { SimulatedHost } from '../../../core/host/simulated-host.js';
import type { Connection } from '../../../core/machine/provider.js';
import type { ConnectionOf } from '../../machine/provider-connections.js';
import { beat } from '../../worked-time.js';
import type { HealthAnswer, Host, HostAccess, HostRef, WorkBeat } from '../host.js';
import type { Job } from '../journal/execute.js';
import { reportUnjournaled } from '../journal/without-journal.js';

/** Hosts without a machine: their provider keeps what each step would have left. */
export function createSimulatedHosts({ connectionOf }: { connectionOf: ConnectionOf }) {
  return ({ server, provider, connection }: HostRef<Extract<Connection, { account: string }>>): Host => {
    const noMachine = () => demoHost(server);
    const simulated = async (): Promise<SimulatedHost> => {
      const { host } = await connectionOf(provider);
      if (!host) throw noMachine();
      return host(connection.server);
    };
    const keyOf = ({ operation, taskserv, generation }: Job) => `${operation}/${server}/${taskserv}/${generation}`;
    return {
      // The name stands for an address: nothing connects to it.
      privateAddress: server,
      async look(questions) {
        const host = await simulated();
        const answers: Answer[] = [];
        for (const question of questions) {
          const executed = await host.executed(question.unit);
          const healthy = hasNoChecks(question) || (await host.healthy(question.unit));
          answers.push(answerOf(question, executed, healthy ? undefined : 'not installed yet'));
        }
        return { answers };
      },
      async run({ steps, pauses, ...job }) {
        const { taskserv } = job;
        const total = steps.length;
        return (await simulated()).run(taskserv, steps, {
          key: keyOf(job),
          signal: cancellationSignal(),
          onStep: (step, done) => beat({ server, taskserv, step, done, total } satisfies WorkBeat),
          ...(pauses === undefined ? {} : { pauses }),
        });
      },
      pause: async (job, count) => (await simulated()).pause(keyOf(job), count),
      async undo({ steps, keep = [], ...job }) {
        const kept = keep.map((index) => fingerprint(steps[index]));
        const found = await (await simulated()).undo(job.taskserv, keyOf(job), kept);
        return found ? { executed: steps.length } : reportUnjournaled({ ...job, server });
      },
      async verify(question) {
        const healthy = hasNoChecks(question) || (await (await simulated()).healthy(question.unit));
        return healthOf(healthy ? undefined : 'the demo provider was told that it fails');
      },
      access: withoutLogin(noMachine),
    };
  };
}

/** A unit without checks is never unwell: `users` without users. */
const hasNoChecks = ({ health }: Question): boolean => !health || health.checks.length + health.endpoints.length === 0;

/** It has no facts, but knows which steps it was given: those are not to be done again. */
function answerOf({ unit, facts }: Question, executed: readonly string[], why: string | undefined): Answer {
  const known = new Set(executed);
  return {
    found: absentValues(facts),
    ...healthOf(why),
    toDo: (planned) => planned.filter((step) => !known.has(fingerprint(step))),
    toRemove: (planned) => (executed.length === 0 ? [] : [...planned, { title: `Forget ${unit}`, run: 'true', undo: 'true' }]),
  };
}

const healthOf = (why: string | undefined): HealthAnswer => ({
  ...(why === undefined ? {} : { why }),
  installed: (_, wanted, missing) => (why === undefined && missing.length === 0 ? wanted : undefined),
});

/** It needs no login, so it accepts every user; it has no mark. */
function withoutLogin(noMachine: () => Error): HostAccess {
  const refuse = async () => {
    throw noMachine();
  };
  return {
    firstContact: async () => {},
    claim: refuse,
    leave: refuse,
    record: async () => undefined,
    takeFirstSeen: () => undefined,
    forget: () => {},
  };
}

const demoHost = (server: string) =>
  inputError({ code: 'demo-host', what: 'open a connection', on: server, why: 'a demo server has no machine' });
