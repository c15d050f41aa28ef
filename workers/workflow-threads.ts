/**
 * Loaded before everything else in each thread of a worker (`node --require`).
 *
 * The SDK writes down a stack for every promise that a workflow makes, so that
 * Temporal can be asked where it waits: a third of all that a thread of workflows
 * computes (docs/decisions). Where an operation stands its own record says
 * better, so the SDK is told that there are no promise hooks, which it takes as
 * it does on runtimes that really have none. `PROVISIONING_STACK_TRACES=1` brings
 * the stacks back for whoever looks for a mistake in a workflow.
 */
import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread && process.env.PROVISIONING_STACK_TRACES !== '1') {
  // Not the hooks themselves are changed: Node's own AsyncLocalStorage goes by them, and scopes of cancellation by that.
  const promiseHooks: typeof v8.promiseHooks = {
    ...v8.promiseHooks,
    createHook() {
      throw new Error('stacks of promises are not recorded');
    },
  };
  Object.assign(v8, { promiseHooks });
}
