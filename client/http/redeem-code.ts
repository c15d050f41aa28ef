import type { MethodPlace } from '../../app/method-place.js';
import type { ServerConnection } from './connection.js';
import { readProblem } from './read-problem.js';
import { BrokenConnection, createSender, readText } from './send-request.js';
import { createFailures } from './server-failures.js';

/** The path that takes the code of the first administrator, without a token. */
const PATH = '/v1/first-administrator';
const PLACE: MethodPlace = { verb: 'POST', path: PATH };
/** How long the server may be silent, in milliseconds. */
const SILENT_MS = 30_000;

/**
 * Exchanges the code that a server printed at its start for the token of its first administrator. It is sent once, since a code
 * works once.
 *
 * @param code as the server printed it
 * @throws inputError `code-refused`; ProvisioningError `server-unreachable`, `server-certificate`, `answer-lost`
 */
export async function redeemCode({ url, ca }: Pick<ServerConnection, 'url' | 'ca'>, code: string): Promise<string> {
  const sender = createSender({ url, ...(ca !== undefined && { ca }) });
  const failures = createFailures(url);
  const call = { method: 'first-administrator', place: PLACE };
  try {
    const response = await sender.send({ verb: 'POST', path: PATH, body: JSON.stringify({ code }), silentMs: SILENT_MS });
    const text = await readText(response);
    const token = response.statusCode === 201 ? tokenIn(text) : undefined;
    if (token !== undefined) return token;
    throw readProblem(text) ?? failures.strange(call, response);
  } catch (error) {
    throw error instanceof BrokenConnection ? failures.broken(call, error) : error;
  } finally {
    sender.close();
  }
}

function tokenIn(text: string): string | undefined {
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
