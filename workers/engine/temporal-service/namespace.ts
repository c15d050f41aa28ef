import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, ConnectionOptions } from '@temporalio/client';
import { HISTORY_DAYS } from '../../../core/engine/history.js';
import { inputError, messageOf } from '../../../core/errors.js';
import { SEARCH_ATTRIBUTES } from '../../../core/names.js';

const DAY_SECONDS = 24 * 3600;
const NOT_FOUND = 5;
const KEYWORD = 2;

/** Opens a connection, runs `work`, closes it. */
export async function useConnection<T>(options: ConnectionOptions, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { connectTemporal } = await import('../../../app/temporal/connect-temporal.js');
  const connection = await connectTemporal(options);
  try {
    return await connection.withDeadline(Date.now() + 15_000, () => work(connection));
  } finally {
    await connection.close();
  }
}

/** Sets the retention of the own server's namespace, which appears a moment after the server has begun to serve. */
export async function setRetention(connection: Connection, namespace: string, days: number = HISTORY_DAYS): Promise<void> {
  const { msToTs } = await import('@temporalio/common/lib/time.js');
  const config = { workflowExecutionRetentionTtl: msToTs(`${days} days`) };
  for (const until = Date.now() + 10_000; ; await sleep(100)) {
    try {
      await connection.workflowService.updateNamespace({ namespace, config });
      return;
    } catch (error) {
      if ((error as { code?: number }).code !== NOT_FOUND || Date.now() > until) throw error;
    }
  }
}

/**
 * Checks that an external service has the namespace, and adds missing search attributes.
 *
 * @returns retention of ended workflows in the namespace, in days; undefined if the service does not report it
 * @throws inputError `no-namespace`, `no-search-attributes` with the command that creates them
 */
export async function prepareNamespace(connection: Connection, namespace: string): Promise<number | undefined> {
  const retention = await retentionOf(connection, namespace);
  const missing = await missingAttributes(connection, namespace);
  if (missing.length === 0) return retention;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    const flags = missing.map((name) => `--name ${name} --type Keyword`).join(' ');
    const cloud = missing.map((name) => `--sa ${name}=Keyword`).join(' ');
    throw inputError(
      {
        code: 'no-search-attributes',
        what: 'add the search attributes',
        on: namespace,
        why: `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing, and the service does not allow us to add them: ${messageOf(error)}`,
        hint: `temporal operator search-attribute create --namespace ${namespace} ${flags}; on Temporal Cloud: tcld namespace search-attributes add --namespace ${namespace} ${cloud}`,
      },
      { cause: error },
    );
  }
  return retention;
}

/** Returns the retention of a namespace, in days. */
async function retentionOf(connection: Connection, namespace: string): Promise<number | undefined> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    return seconds > 0 ? seconds / DAY_SECONDS : undefined;
  } catch (error) {
    if (codeOf(error) !== NOT_FOUND) throw error;
    throw inputError({
      code: 'no-namespace',
      what: 'use the namespace',
      on: namespace,
      why: 'the Temporal service does not have it',
      hint: `choose another namespace with TEMPORAL_NAMESPACE or the profile, or create it: temporal operator namespace create --namespace ${namespace} --retention ${HISTORY_DAYS}d`,
    });
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

async function missingAttributes(connection: Connection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(SEARCH_ATTRIBUTES).filter((name) => customAttributes?.[name] === undefined);
}
