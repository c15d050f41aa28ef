import type { SweepResult } from '../../../core/engine/backup.js';
import type { EngineRecord } from '../../../core/engine/engine.js';
import { inputError, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { openEncryption } from '../../../encryption/open-encryption.js';
import type { Home } from '../../../home/home.js';
import { resolveEnvironment } from '../../../settings/settings.js';
import { openStores } from '../../../stores/open-stores.js';
import { useService } from '../binary/versions-of-home.js';
import { readRecord } from '../record.js';
import { collectReferences } from './references.js';
import { sortPayloads } from './sort-payloads.js';

export interface SweepOptions {
  /** Only counts. */
  check?: boolean;
  /** Hours for which a stored payload is kept, since a history may be about to refer to it. Default 24, at least 1. */
  graceHours?: number;
  env?: NodeJS.ProcessEnv;
}

const GRACE_HOURS = 24;
const HOUR_MS = 3_600_000;

/**
 * Removes payloads that no history refers to any more. Safe while operations run: a payload is stored before a history
 * refers to it, and recent payloads stay. If anything cannot be read, nothing is removed.
 *
 * @throws unreachableError `engine-not-running`
 * @throws inputError `sweep-grace`, `unknown-encryption-key`
 */
export async function sweepPayloads(home: Home, options: SweepOptions, report: Reporter): Promise<SweepResult> {
  const { check = false, graceHours = GRACE_HOURS } = options;
  if (!(graceHours >= 1)) {
    const why = 'a new payload may need that long to appear in a history';
    throw inputError({ code: 'sweep-grace', what: 'sweep the payload store', on: `${graceHours} h`, why, hint: 'at least 1 hour' });
  }
  const record = await readRecord(home);
  if (!record) {
    const why = 'no engine is running for this home, and the references are in its histories';
    throw unreachableError({
      code: 'engine-not-running',
      what: 'sweep the payload store',
      on: home.root,
      why,
      hint: 'provisioning up',
    });
  }
  const env = await resolveEnvironment(home, options.env ?? process.env);
  const [{ cipher }, stores] = await Promise.all([openEncryption(home, env), openStores(home, env)]);
  try {
    // Before the first history is read: payloads that are stored later are younger.
    const before = new Date(Date.now() - graceHours * HOUR_MS);
    const { referred, histories } = await useService(record, env, (connection) =>
      collectReferences(connection, { namespace: record.namespace, taskQueue: foreignBeside(record), cipher }, (count) =>
        report({ task: 'mark', text: `${count} histories read`, state: 'running' }),
      ),
    );
    report({ task: 'mark', text: `${histories} histories refer to ${referred.size} payloads`, state: 'done' });
    const sorted = await sortPayloads(stores.payloads, { referred, before, cipher, namespace: record.namespace });
    if (!check) {
      for (const [index, { sha256 }] of sorted.remove.entries()) {
        await stores.payloads.remove(sha256, before);
        report({ task: 'sweep', text: `${index + 1} of ${sorted.remove.length} payloads`, state: 'running' });
      }
      report({ task: 'sweep', text: `${sorted.remove.length} payloads removed`, state: 'done' });
    }
    const { garbage, young, foreign, missing } = sorted;
    return { removed: !check, histories, stored: await stores.payloads.size(), garbage, young, foreign, missing };
  } finally {
    await stores.close();
  }
}

/** Returns the own queue, if workflows of others may be beside it; a home's own engine has no others. */
const foreignBeside = ({ kind, taskQueue }: EngineRecord): string | undefined => (kind === 'own' ? undefined : taskQueue);
