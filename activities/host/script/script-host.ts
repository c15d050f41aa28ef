import { Context, cancellationSignal } from '@temporalio/activity';
import { infraSecrets } from '../../../secrets/infra-secrets.js';
import type { Host, HostAccess } from '../host.js';
import { pauseSteps } from '../journal/execute.js';
import { readProgress } from '../journal/progress.js';
import { hostFiles } from './host-files.js';
import { look } from './look.js';
import { bindToOwnHost } from './own-host.js';
import { claim, leave } from './owner.js';
import { readRecord } from './record.js';
import { revealerFor } from './revealing.js';
import { runScripts, undoScripts } from './run.js';
import type { ScriptDependencies, ScriptedHost } from './scripted-host.js';
import { streamOn } from './stream-on.js';
import { reportSilence } from './told-silence.js';
import { verify } from './verify.js';

/**
 * Common part of all hosts that run scripts as root, whatever the transport. No script runs on a host that another
 * infra manages: `host-managed-by-another`, from every verb that sends one.
 */
export function scriptHost(
  reached: ScriptedHost,
  dependencies: ScriptDependencies,
): Pick<Host, 'look' | 'run' | 'pause' | 'undo' | 'verify' | 'files' | 'stream' | 'progress'> & {
  access: Pick<HostAccess, 'claim' | 'leave' | 'record'>;
} {
  const { sealer } = dependencies;
  const open = async (options?: { fresh?: boolean }) => reportSilence(await reached.open(options), reached.server);
  const host: ScriptedHost = { ...reached, open: async (options) => bindToOwnHost(await open(options), reached) };
  const secrets = infraSecrets(dependencies.secrets, host.scope, dependencies.providers, () => ({
    operation: Context.current().info.workflowExecution?.workflowId ?? '',
    host: host.server,
  }));
  return {
    async look(questions, probeSeconds) {
      const revealer = await revealerFor(
        questions.map(({ config }) => config),
        secrets,
      );
      return look(host, questions, revealer, { signal: cancellationSignal(), ...(probeSeconds && { probeSeconds }) });
    },
    run: (work) => runScripts(host, work, secrets, dependencies),
    pause: async (job, count) => pauseSteps(await host.open(), job, count),
    undo: (work) => undoScripts(host, work, secrets, dependencies),
    verify: async (question, withinMs) => verify(host, question, await revealerFor(question.config, secrets), withinMs),
    stream: (script, ends) => streamOn(host, script, ends),
    progress: async (job, positions) => readProgress(await host.open(), job, positions),
    files: hostFiles(host),
    // Any host is asked for its owner. Leaving a host removes only the own mark.
    access: { claim: () => claim(reached, sealer), leave: () => leave(reached), record: () => readRecord(reached, sealer) },
  };
}
