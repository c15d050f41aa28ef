import type { SweepResult } from '../../../core/engine/backup.js';
import type { EngineRecord, Stored } from '../../../core/engine/engine.js';
import { inputError, ProvisioningError, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { openEncryption } from '../../../encryption/open-encryption.js';
import { openStored } from '../../../encryption/payload-codec.js';
import type { Home } from '../../../home/home.js';
import { settledEnvironment } from '../../../settings/settings.js';
import { openStores } from '../../../stores/open-stores.js';
import type { PayloadStore, StoredPayload } from '../../../stores/payloads.js';
import { withService } from '../binary/versions-of-home.js';
import { readRecord } from '../record.js';
import { referencesOf } from './references.js';

export interface SweepOptions {
  /** Only counts. */
  check?: boolean;
  /** What was put within so many hours stays: it may be on its way into a history. Default 24, at least 1. */
  graceHours?: number;
  env?: NodeJS.ProcessEnv;
}

const GRACE_HOURS = 24;
const HOUR_MS = 3_600_000;
/** So many missing payloads are named. */
const NAMED = 20;

/**
 * Removes payloads that no history refers to any more. Safe while operations run: a payload is put into the store
 * before a history names it, and what was put lately stays. Where anything cannot be read, nothing is removed.
 *
 * @throws unreachableError `engine-not-running`
 * @throws inputError `sweep-grace`, `unknown-encryption-key`
 */
export async function sweepPayloads(home: Home, options: SweepOptions, report: Reporter): Promise<SweepResult> {
  const { check = false, graceHours = GRACE_HOURS } = options;
  if (!(graceHours >= 1)) {
    const why = 'a payload may take that long to get into a history';
    throw inputError({ code: 'sweep-grace', what: 'sweep the payload store', on: `${graceHours} h`, why, hint: 'at least 1 hour' });
  }
  const record = await readRecord(home);
  if (!record) {
    const why = 'no engine runs for this home, and histories say what is needed';
    throw unreachableError({
      code: 'engine-not-running',
      what: 'sweep the payload store',
      on: home.root,
      why,
      hint: 'provisioning up',
    });
  }
  const env = await settledEnvironment(home, options.env ?? process.env);
  const [{ cipher }, stores] = await Promise.all([openEncryption(home, env), openStores(home, env)]);
  try {
    // Before the first history is read: what is put from now on is younger.
    const before = new Date(Date.now() - graceHours * HOUR_MS);
    const { referred, histories } = await withService(record, env, (connection) =>
      referencesOf(connection, { namespace: record.namespace, taskQueue: foreignBeside(record), cipher }, (count) =>
        report({ task: 'mark', text: `${count} histories read`, state: 'running' }),
      ),
    );
    report({ task: 'mark', text: `${histories} histories refer to ${referred.size} payloads`, state: 'done' });
    const sorted = await sort(stores.payloads, { referred, before, cipher, namespace: record.namespace });
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

/** Our queue, where workflows of others may be beside it; a home's own engine has none of others. */
const foreignBeside = ({ kind, taskQueue }: EngineRecord): string | undefined => (kind === 'own' ? undefined : taskQueue);

interface Sorting {
  referred: ReadonlySet<string>;
  before: Date;
  cipher: Cipher;
  namespace: string;
}

async function sort(store: PayloadStore, { referred, before, cipher, namespace }: Sorting) {
  const [garbage, young, foreign] = [nothing(), nothing(), nothing()];
  const missing = new Set(referred);
  const remove: StoredPayload[] = [];
  for await (const payload of store.list()) {
    missing.delete(payload.sha256);
    if (referred.has(payload.sha256)) continue;
    if (payload.used >= before) count(young, payload);
    else if (!(await isOurs(store, payload, cipher, namespace))) count(foreign, payload);
    else {
      count(garbage, payload);
      remove.push(payload);
    }
  }
  return { garbage, young, foreign, missing: [...missing].slice(0, NAMED), remove };
}

/** Whether it was sealed for the namespace whose histories were read. */
async function isOurs(store: PayloadStore, { sha256 }: StoredPayload, cipher: Cipher, namespace: string): Promise<boolean> {
  const sealed = await store.get(sha256);
  try {
    if (sealed) await openStored(cipher, namespace, sealed);
    return sealed !== undefined;
  } catch (error) {
    if (error instanceof ProvisioningError) return false;
    throw error;
  }
}

const nothing = (): Stored => ({ count: 0, bytes: 0 });

function count(sum: Stored, { bytes }: StoredPayload): void {
  sum.count++;
  sum.bytes += bytes;
}
