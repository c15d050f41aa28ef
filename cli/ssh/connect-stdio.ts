import { pipeline } from 'node:stream/promises';
import { readConnection } from '../../client/http/connection.js';
import { errorText, inputError } from '../../core/errors.js';
import { exitCodeOfError } from '../../core/exit-codes.js';
import { homeOf } from '../../home/home.js';
import { detailsOf } from '../program/failure.js';
import { connectHost } from './connect-host.js';

/**
 * What ssh runs in place of a connection of its own, if commands ask a server of the API: joins standard input and output with
 * the SSH port of a server of the inventory. Address and token of the API are those of the active context, and no arguments.
 *
 * @param args workspace, infra and server
 * @returns the exit code
 */
export async function connectStdio([workspace = '', infra = '', server = '']: readonly string[]): Promise<number> {
  try {
    const connection = readConnection({ home: homeOf(), env: process.env });
    if (!connection) {
      const why = 'no context is active';
      throw inputError({ code: 'unknown-context', what: 'connect through the server', why, hint: 'provisioning context use NAME' });
    }
    const stream = await connectHost(connection, { workspace, infra, server });
    // Whichever side ends first ends both; what the host said last is written before.
    const read = pipeline(stream, process.stdout).catch(() => {});
    pipeline(process.stdin, stream).catch(() => {});
    await read;
    return 0;
  } catch (error) {
    const details = detailsOf(error);
    // It may be a text of another machine: a line of it stays a line.
    process.stderr.write(`${errorText(details).replace(/\p{Cc}+/gu, ' ')}\n`);
    return exitCodeOfError(details);
  }
}
