/**
 * Loaded before everything else in each thread of a worker (`node --require`).
 *
 * The SDK records a stack for every promise of a workflow, so that Temporal can report where a workflow waits. That is
 * a third of a workflow thread's computation (docs/decisions). An operation's own record shows its state better. So
 * the SDK finds no promise hooks, as on runtimes that really have none. `PROVISIONING_STACK_TRACES=1` enables the
 * stacks again, to find a mistake in a workflow.
 *
 * The SDK interrupts a turn of a workflow after five seconds by the clock. On a busy machine, or one that was suspended,
 * a good turn takes longer. An interrupted turn leaves Node's stack of async contexts as it was in the middle, and Node
 * then ends the whole worker. So turns have no limit. Each limit also takes a thread of its own.
 */
import v8 from 'node:v8';
import { type Context, type RunningScriptOptions, Script } from 'node:vm';
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

if (!isMainThread) {
  const { runInContext } = Script.prototype;
  Object.assign(Script.prototype, {
    runInContext(this: Script, context: Context, options?: RunningScriptOptions): unknown {
      return runInContext.call(this, context, { ...options, timeout: undefined });
    },
  });
}
