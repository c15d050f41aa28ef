import { bugError, fingerprint, type SimulatedHost, unreachableError } from '../../../sdk/index.js';
import { ask, effect } from '../store/calls.js';
import { type DemoServer, type DemoService, type DemoState, idOf, note } from '../store/state.js';
import type { DemoStore } from '../store/store.js';

/**
 * Creates the host of a server in the account. It runs nothing, and only stores the effects of steps. A step replaces
 * an earlier one of the same title. The step `Forget TASKSERV` ends a removal, after which nothing is left.
 *
 * @param server the connection's `server`, or a server's name if it is unique in the account
 */
export function createSimulatedHost(store: DemoStore, server: string): SimulatedHost {
  const call = (verb: string, name: string, signal?: AbortSignal) => ({ verb, name, signal });

  return {
    executed: (taskserv) =>
      ask(store, call('host.look', server), (state) => {
        const service = find(state, server)?.services[taskserv];
        return (service?.steps ?? []).map((step) => step.fingerprint);
      }),

    async run(taskserv, steps, { key, signal, onStep, pauses = 0 }) {
      const finished = await ask(store, call('host.run', taskserv, signal), (state) => {
        return reach(state, server).services[taskserv]?.runs[key]?.length ?? 0;
      });
      for (let index = finished; index < steps.length; index++) {
        const step = steps[index];
        if (!step) break;
        if (((await store.read()).pauses?.[key] ?? 0) > pauses) return { executed: index, paused: true };
        onStep?.(step.title, index);
        await effect(store, call('host.step', step.title, signal), (state, touch) => {
          const host = reach(state, server);
          touch('servers', idOf(host.scope, host.name));
          const service = serviceOf(host, taskserv);
          service.runs[key] ??= [];
          const journal = service.runs[key];
          // Another attempt of the same run was first.
          if (journal.length > index) return;
          journal.push({ title: step.title, before: service.steps });
          const others = service.steps.filter(({ title }) => title !== step.title);
          const forgets = step.title === `Forget ${taskserv}`;
          service.steps = forgets ? [] : [...others, { title: step.title, fingerprint: fingerprint(step) }];
          note(state, 'host.step', `${host.name}/${taskserv}: ${step.title}`, key);
        });
      }
      return { executed: steps.length };
    },

    pause: (key, count) =>
      store.change((state) => {
        state.pauses = { ...state.pauses, [key]: count };
      }),

    async undo(taskserv, key, keep = []) {
      const journalOf = (state: DemoState) => find(state, server)?.services[taskserv]?.runs[key];
      const known = journalOf(await store.read()) !== undefined;
      for (let title = await latest(); title !== undefined; title = await latest()) {
        await effect(store, call('host.undo', title), (state, touch) => {
          const last = journalOf(state)?.at(-1);
          const host = find(state, server);
          if (!host || last?.title !== title) return;
          touch('servers', idOf(host.scope, host.name));
          const service = serviceOf(host, taskserv);
          const kept = service.steps.filter(({ fingerprint }) => keep.includes(fingerprint));
          service.steps = [...last.before.filter((one) => !kept.some(({ title }) => title === one.title)), ...kept];
          service.runs[key]?.pop();
          note(state, 'host.undo', `${host.name}/${taskserv}: ${title}`, key);
        });
      }
      return known;

      async function latest(): Promise<string | undefined> {
        return journalOf(await store.read())?.at(-1)?.title;
      }
    },

    healthy: (taskserv) =>
      ask(store, call('host.healthy', taskserv), (state) => {
        const host = find(state, server);
        const { unhealthy } = state.settings;
        if (!host || host.stopped || unhealthy.includes(taskserv) || unhealthy.includes(`${host.name}/${taskserv}`)) return false;
        return (host.services[taskserv]?.steps.length ?? 0) > 0;
      }),
  };
}

const serviceOf = (host: DemoServer, taskserv: string): DemoService => {
  host.services[taskserv] ??= { steps: [], runs: {} };
  return host.services[taskserv];
};

function find({ servers }: DemoState, server: string): DemoServer | undefined {
  if (servers[server]) return servers[server];
  const [named, ...others] = Object.values(servers).filter(({ name }) => name === server);
  if (others.length === 0) return named;
  throw bugError({
    code: 'ambiguous-server',
    what: 'find the simulated host',
    on: server,
    why: 'several infras of the account have it',
  });
}

function reach(state: DemoState, server: string): DemoServer {
  const host = find(state, server);
  if (host && !host.stopped && Date.now() >= host.bootedAt) return host;
  const why = host ? 'the server is not running' : 'no such server';
  throw unreachableError({ code: 'host-unreachable', what: 'reach the host', on: server, why });
}
